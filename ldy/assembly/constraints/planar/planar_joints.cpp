#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

// The direction of an axis, of unit length in the plane z = 0.
Eigen::Vector3d in_plane(const BodySet& bodies, const Axis& axis, const char* what) {
  const Eigen::Vector3d a = material_direction(bodies, std::nullopt, axis.direction, what).D;
  if (std::abs(a[2]) <= 1e-9) return a;
  throw std::invalid_argument(
      std::string(what) + ": expected a direction in the plane z = 0, found z = " + spelled(a[2]) + " of its length");
}

MaterialDirection across(const BodySet& bodies, const Axis& axis, const char* what) {
  const Eigen::Vector3d a = in_plane(bodies, axis, what);
  return material_direction(bodies, axis.body, {-a[1], a[0], 0}, what);
}

}  // namespace

PlanarRevolute::PlanarRevolute(const Anchor& master, const Anchor& slave, const std::optional<JointFriction>& friction)
    : Joint({slave.body, master.body}), given_master_(master), given_slave_(slave) {
  set_friction(friction, FrictionOf::angle);
}

void PlanarRevolute::take_hold(const BodySet& bodies) {
  master_ = material_point(bodies, given_master_, "point on the master");
  slave_ = material_point(bodies, given_slave_, "point on the slave");
}

void PlanarRevolute::measure(const BodyQuantities& at, JointRows& rows) const {
  const VectorQuantity d = at.point(slave_) - at.point(master_);
  rows.length(component(d, 0));
  rows.length(component(d, 1));
  if (!friction()) return;
  const VectorQuantity z = at.constant(Eigen::Vector3d::UnitZ());
  rows.angle_friction(dot(z, at.spin(given_slave_.body)) - dot(z, at.spin(given_master_.body)));
}

PlanarPrismatic::PlanarPrismatic(const Axis& master, const Axis& slave, const std::optional<JointFriction>& friction)
    : Joint({slave.body, master.body}), given_master_(master), given_slave_(slave) {
  set_friction(friction, FrictionOf::length);
}

void PlanarPrismatic::take_hold(const BodySet& bodies) {
  master_ = material_point(bodies, {given_master_.point, given_master_.body}, "axis of the master");
  slave_ = material_point(bodies, {given_slave_.point, given_slave_.body}, "axis of the slave");
  across_ = across(bodies, given_master_, "axis of the master");
  along_ = material_direction(bodies, given_slave_.body, in_plane(bodies, given_slave_, "axis of the slave"),
                              "axis of the slave");
}

void PlanarPrismatic::measure(const BodyQuantities& at, JointRows& rows) const {
  const VectorQuantity n = at.direction(across_);
  rows.length(dot(at.point(slave_) - at.point(master_), n));
  rows.angle(dot(at.direction(along_), n));
  if (friction()) rows.length_friction(dot(at.point(slave_) - at.point(master_), at.direction(along_)));
}

PlanarPointOnLine::PlanarPointOnLine(const Axis& line, const Anchor& point)
    : Joint({point.body, line.body}), given_line_(line), given_point_(point) {}

void PlanarPointOnLine::take_hold(const BodySet& bodies) {
  line_ = material_point(bodies, {given_line_.point, given_line_.body}, "line");
  point_ = material_point(bodies, given_point_, "point");
  across_ = across(bodies, given_line_, "line");
}

void PlanarPointOnLine::measure(const BodyQuantities& at, JointRows& rows) const {
  rows.length(dot(at.point(point_) - at.point(line_), at.direction(across_)));
}

}  // namespace locdyn
