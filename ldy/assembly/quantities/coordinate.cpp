#include <locdyn/ldy/assembly/quantities/coordinate.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/contact/local_frame.hpp>

namespace locdyn {
namespace {

using Points = std::span<const MaterialPoint>;

void add_once(std::vector<BodyId>& list, BodyId body) {
  if (std::find(list.begin(), list.end(), body) == list.end()) list.push_back(body);
}

VectorQuantity normal_of(const BodyQuantities& at, Points p) {
  return cross(at.between(p[0], p[1]), at.between(p[0], p[2]));
}

// The point of an axis one unit along a direction.
Anchor along(const Axis& axis, const Eigen::Vector3d& direction) {
  return {axis.point + direction, axis.body};
}

}  // namespace

Coordinate::Coordinate(Kind kind, std::vector<Anchor> anchors, Function function)
    : kind_(kind), anchors_(std::move(anchors)), function_(std::move(function)) {
  for (const Anchor& anchor : anchors_) {
    if (anchor.body) add_once(bodies_, *anchor.body);
  }
  if (bodies_.empty())
    throw std::invalid_argument("coordinate: expected points of bodies, found points in space alone");
  const auto on_first = [this](const Anchor& anchor) { return anchor.body == bodies_[0]; };
  if (std::all_of(anchors_.begin(), anchors_.end(), on_first)) {
    throw std::invalid_argument("coordinate: expected points that move against each other, found those of body " +
                                std::to_string(bodies_[0]) + " alone");
  }
}

void Coordinate::take_hold(const BodySet& bodies) {
  points_.clear();
  for (const Anchor& anchor : anchors_) points_.push_back(material_point(bodies, anchor, "point of a coordinate"));
}

Quantity Coordinate::measure(const BodyQuantities& at, std::size_t memory) const {
  const Quantity value = function_(at, points_);
  return kind_ == Kind::winding_angle ? at.unwound(value, memory) : value;
}

std::vector<BodyId> bodies_of(const Coordinate& a, const Coordinate& b) {
  std::vector<BodyId> both = a.bodies();
  for (BodyId body : b.bodies()) add_once(both, body);
  return both;
}

// --- those of joints -------------------------------------------------------------------------------------------------

Coordinate axis_angle(const Axis& master, const Axis& slave) {
  const Eigen::Matrix3d frame = local_frame(master.direction);
  const Eigen::Vector3d first = frame.col(0);
  const Anchor at_slave{slave.point, slave.body};
  return {
      Coordinate::Kind::winding_angle,
      {{master.point, master.body}, along(master, frame.col(2)), along(master, first), at_slave, along(slave, first)},
      [](const BodyQuantities& at, Points p) {
        return signed_angle(at.between(p[0], p[2]), at.between(p[3], p[4]), at.between(p[0], p[1]));
      }};
}

Coordinate planar_angle(BodyId body) {
  return axis_angle({}, {Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitZ(), body});
}

Coordinate axis_displacement(const Axis& master, const Anchor& slave) {
  const Eigen::Vector3d a = local_frame(master.direction).col(2);
  return {Coordinate::Kind::length,
          {{master.point, master.body}, along(master, a), slave},
          [](const BodyQuantities& at, Points p) { return dot(at.between(p[0], p[2]), at.between(p[0], p[1])); }};
}

// --- those of vectors ------------------------------------------------------------------------------------------------

BodyVector carried(std::optional<BodyId> body, const Eigen::Vector3d& direction, const Eigen::Vector3d& point) {
  return {{point, body}, {point + direction, body}};
}

Coordinate distance(const Anchor& from, const Anchor& to) {
  return {Coordinate::Kind::length, {from, to}, [](const BodyQuantities& at, Points p) {
            return norm(at.between(p[0], p[1]));
          }};
}

Coordinate signed_angle(const BodyVector& a, const BodyVector& b, const BodyVector& normal) {
  return {Coordinate::Kind::winding_angle,
          {a.from, a.to, b.from, b.to, normal.from, normal.to},
          [](const BodyQuantities& at, Points p) {
            return signed_angle(at.between(p[0], p[1]), at.between(p[2], p[3]), at.between(p[4], p[5]));
          }};
}

Coordinate unsigned_angle(const BodyVector& a, const BodyVector& b) {
  return {Coordinate::Kind::angle, {a.from, a.to, b.from, b.to}, [](const BodyQuantities& at, Points p) {
            return unsigned_angle(at.between(p[0], p[1]), at.between(p[2], p[3]));
          }};
}

Coordinate cosine(const BodyVector& a, const BodyVector& b) {
  return {Coordinate::Kind::angle, {a.from, a.to, b.from, b.to}, [](const BodyQuantities& at, Points p) {
            return dot(unit(at.between(p[0], p[1])), unit(at.between(p[2], p[3])));
          }};
}

Coordinate plane_angle(const BodyPlane& p, const BodyPlane& q) {
  return {Coordinate::Kind::angle, {p.a, p.b, p.c, q.a, q.b, q.c}, [](const BodyQuantities& at, Points points) {
            return unsigned_angle(normal_of(at, points.first(3)), normal_of(at, points.subspan(3)));
          }};
}

}  // namespace locdyn
