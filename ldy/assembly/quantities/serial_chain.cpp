#include <locdyn/ldy/assembly/quantities/serial_chain.hpp>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

using Points = std::span<const MaterialPoint>;
using Directions = std::array<VectorQuantity, 3>;

constexpr double kParallel = 1e-6;  // sine below which directions count as parallel: angles lose half their digits

Quantity inverse(const Quantity& c) {
  return chain(1 / c.value, -1 / (c.value * c.value), 2 / (c.value * c.value * c.value), c);
}

Quantity square_root(const Quantity& c) {
  const double root = std::sqrt(c.value);
  return chain(root, 0.5 / root, -0.25 / (root * c.value), c);
}

// A constant vector in a frame whose directions move.
VectorQuantity combined(const Directions& e, const Eigen::Vector3d& coordinates) {
  return coordinates[0] * e[0] + coordinates[1] * e[1] + coordinates[2] * e[2];
}

// The body's directions that were the axes of space at start: points p[0] … p[3].
Directions basis(const BodyQuantities& at, Points p) {
  return {at.between(p[0], p[1]), at.between(p[0], p[2]), at.between(p[0], p[3])};
}

double spanned(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  return a.cross(b).dot(c);
}

}  // namespace

SerialChain::SerialChain(std::optional<BodyId> master, BodyId slave, std::vector<SerialAxis> axes)
    : master_(master), slave_(slave), axes_(std::move(axes)) {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    SerialAxis& axis = axes_[i];
    const std::string place = "axis " + std::to_string(i);
    require_finite(axis.point, (place + ": point").c_str());
    require_finite(axis.direction, (place + ": direction").c_str());
    const double length = axis.direction.norm();
    if (!(length > 0)) throw std::invalid_argument(place + ": direction: expected a vector of length > 0, found zero");
    axis.direction /= length;
    (axis.turns ? turn_ : slide_).push_back(i);
  }
  if (turn_.size() > 3 || slide_.size() > 3 || axes_.empty()) {
    throw std::invalid_argument("axes: expected one to three hinges, one to three slides, or both, found " +
                                std::to_string(turn_.size()) + " and " + std::to_string(slide_.size()));
  }
  const auto direction = [this](const std::vector<std::size_t>& of, std::size_t k) { return axes_[of[k]].direction; };
  for (std::size_t k = 1; k < turn_.size(); ++k) {
    if (direction(turn_, k - 1).cross(direction(turn_, k)).norm() > kParallel) continue;
    throw std::invalid_argument("axes: expected hinges in succession that are not parallel, found " +
                                std::to_string(turn_[k - 1]) + " and " + std::to_string(turn_[k]) + " parallel");
  }
  if (turn_.size() == 3) {
    const double volume = spanned(direction(turn_, 0), direction(turn_, 2), direction(turn_, 1));
    if (std::abs(volume) <= kParallel) {
      throw std::invalid_argument("axes: expected three hinges that span space, found them in one plane");
    }
    side_ = volume > 0 ? 1 : -1;
  }
  const bool dependent = (slide_.size() == 2 && direction(slide_, 0).cross(direction(slide_, 1)).norm() <= kParallel) ||
                         (slide_.size() == 3 && std::abs(spanned(direction(slide_, 0), direction(slide_, 1),
                                                                 direction(slide_, 2))) <= kParallel);
  if (dependent) throw std::invalid_argument("axes: expected slides along different directions, found dependent ones");
}

std::vector<Anchor> SerialChain::anchors() const {
  // A hinge's own point, so that little is lost where the bodies lie far from the origin.
  const Eigen::Vector3d first = axes_[turn_.empty() ? slide_.front() : turn_.front()].point;
  const Eigen::Vector3d last = axes_[turn_.empty() ? slide_.front() : turn_.back()].point;
  std::vector<Anchor> all;
  for (const auto& [origin, body] : {std::pair(first, master_), std::pair(last, std::optional<BodyId>(slave_))}) {
    all.push_back({origin, body});
    for (int k = 0; k < 3; ++k) all.push_back({origin + Eigen::Vector3d::Unit(k), body});
  }
  return all;
}

// All directions at one instant.
struct SerialChain::Moment {
  const SerialChain& chain;
  const BodyQuantities& at;
  Points points;
  Directions master, slave;
  std::vector<VectorQuantity> hinge;  // a₁ … a_K

  Moment(const SerialChain& chain_, const BodyQuantities& at_, Points points_)
      : chain(chain_), at(at_), points(points_), master(basis(at_, points_)), slave(basis(at_, points_.subspan(4))) {
    const std::size_t K = chain.turn_.size();
    if (K >= 1) hinge.push_back(combined(master, start(0)));
    if (K == 3) hinge.push_back(middle());
    if (K >= 2) hinge.push_back(combined(slave, start(K - 1)));
  }

  // The direction of the k-th hinge at start.
  [[nodiscard]] const Eigen::Vector3d& start(std::size_t k) const { return chain.axes_[chain.turn_[k]].direction; }

  [[nodiscard]] VectorQuantity middle() const {
    const VectorQuantity& first = hinge[0];
    const VectorQuantity last = combined(slave, start(2));
    const double to_first = start(0).dot(start(1)), to_last = start(1).dot(start(2));
    const Quantity c = dot(first, last);
    const Quantity across = -1.0 * (c * c - 1.0);  // sin² between the outer axes
    const Quantity by = inverse(across);
    const Quantity lambda = -1.0 * ((to_last * c - to_first) * by), mu = -1.0 * ((to_first * c - to_last) * by);
    const Quantity rest = -1.0 * (to_first * lambda + to_last * mu - 1.0) * by;
    if (!(across.value > 0) || !(rest.value > kParallel * kParallel)) {
      throw std::invalid_argument("axes: expected three hinges that span space, found them in one plane");
    }
    return lambda * first + mu * last + (chain.side_ * square_root(rest)) * cross(first, last);
  }

  // A vector, as it was at start, that has been carried by the first k hinges alone.
  [[nodiscard]] VectorQuantity carried(std::size_t k, const Eigen::Vector3d& v) const {
    if (k == 0) return combined(master, v);
    if (k == hinge.size()) return combined(slave, v);
    Eigen::Matrix3d frame;
    frame << start(k - 1), start(k), start(k - 1).cross(start(k));
    return combined({hinge[k - 1], hinge[k], cross(hinge[k - 1], hinge[k])}, frame.inverse() * v);
  }

  // How many hinges come before the axis.
  [[nodiscard]] std::size_t before(std::size_t axis) const {
    std::size_t count = 0;
    for (const std::size_t k : chain.turn_) count += k < axis ? 1 : 0;
    return count;
  }
  // The direction of the k-th slide.
  [[nodiscard]] VectorQuantity slide(std::size_t k) const {
    const std::size_t axis = chain.slide_[k];
    return carried(before(axis), chain.axes_[axis].direction);
  }

  // D: what the slides have moved.
  [[nodiscard]] VectorQuantity moved() const {
    VectorQuantity D = at.point(points[4]) - at.point(points[0]);
    for (std::size_t k = 1; k < chain.turn_.size(); ++k) {
      D = D - carried(k, chain.axes_[chain.turn_[k]].point - chain.axes_[chain.turn_[k - 1]].point);
    }
    return D;
  }

  // D along the k-th slide, the others taken out.
  [[nodiscard]] Quantity slid(std::size_t k) const {
    const VectorQuantity D = moved(), e = slide(k);
    if (chain.slide_.size() == 1) return dot(D, e);
    const VectorQuantity other = slide((k + 1) % chain.slide_.size());
    const VectorQuantity dual = cross(other, chain.slide_.size() == 2 ? cross(e, other) : slide((k + 2) % 3));
    return dot(D, dual) * inverse(dot(e, dual));
  }

  [[nodiscard]] Quantity turned(std::size_t k) const {
    if (hinge.size() == 1) {
      const Eigen::Vector3d across = start(0).unitOrthogonal();
      return signed_angle(combined(master, across), combined(slave, across), hinge[0]);
    }
    if (k == 0) return signed_angle(combined(master, start(1)), hinge[1], hinge[0]);
    if (k + 1 == hinge.size()) return signed_angle(hinge[k - 1], combined(slave, start(k - 1)), hinge[k]);
    // Of the middle one of three: the angle between its neighbours, without what it was at start.
    const Eigen::Vector3d a = start(1), p = start(0) - start(0).dot(a) * a, q = start(2) - start(2).dot(a) * a;
    return signed_angle(hinge[0], hinge[2], hinge[1]) - std::atan2(p.cross(q).dot(a), p.dot(q));
  }
};

Quantity SerialChain::coordinate(const BodyQuantities& at, Points points, std::size_t i) const {
  const Moment now(*this, at, points);
  const std::vector<std::size_t>& alike = axes_.at(i).turns ? turn_ : slide_;
  std::size_t k = 0;
  while (alike[k] != i) ++k;
  return axes_[i].turns ? now.turned(k) : now.slid(k);
}

SerialChain::Rows SerialChain::rows(const BodyQuantities& at, Points points) const {
  const Moment now(*this, at, points);
  Rows rows;
  // Lengths: D across the slides.
  if (slide_.empty()) {
    const VectorQuantity D = now.moved();
    for (int i = 0; i < 3; ++i) rows.lengths.push_back(component(D, i));
  } else if (slide_.size() == 1) {
    const VectorQuantity D = now.moved();
    const Eigen::Vector3d e = axes_[slide_[0]].direction, b = e.unitOrthogonal();
    for (const Eigen::Vector3d& across : {b, Eigen::Vector3d(e.cross(b))}) {
      rows.lengths.push_back(dot(D, now.carried(now.before(slide_[0]), across)));
    }
  } else if (slide_.size() == 2) {
    rows.lengths.push_back(dot(now.moved(), unit(cross(now.slide(0), now.slide(1)))));
  }
  // Angles: those that no hinge lets go.
  if (turn_.empty()) {
    rows.angles = {dot(now.slave[0], now.master[1]), dot(now.slave[0], now.master[2]),
                   dot(now.slave[1], now.master[2])};
  } else if (turn_.size() == 1) {
    const Eigen::Vector3d a = now.start(0), b = a.unitOrthogonal();
    const VectorQuantity along = combined(now.slave, a);
    for (const Eigen::Vector3d& across : {b, Eigen::Vector3d(a.cross(b))}) {
      rows.angles.push_back(dot(along, combined(now.master, across)));
    }
  } else if (turn_.size() == 2) {
    rows.angles.push_back(dot(now.hinge[0], now.hinge[1]) - now.start(0).dot(now.start(1)));
  }
  return rows;
}

Coordinate serial_coordinate(const SerialChain& chain, std::size_t i) {
  if (i >= chain.size()) {
    throw std::out_of_range("axis: expected one of " + std::to_string(chain.size()) + ", found " + std::to_string(i));
  }
  const bool turns = chain.turns(i);
  return {turns ? Coordinate::Kind::winding_angle : Coordinate::Kind::length, chain.anchors(),
          [chain, i](const BodyQuantities& at, Points points) { return chain.coordinate(at, points, i); }};
}

}  // namespace locdyn
