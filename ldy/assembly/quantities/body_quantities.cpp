#include <locdyn/ldy/assembly/quantities/body_quantities.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/bodies/massless_coordinate.hpp>
#include <locdyn/bodies/pseudo_rigid_body.hpp>
#include <locdyn/bodies/rotor.hpp>

namespace locdyn {
using namespace detail;
namespace {

double no_change(double) {
  return 0;
}

}  // namespace

TimeFunction constant_function(double value) {
  return {[value](double) { return value; }, no_change, no_change};
}

TimeFunction linear_function(double start, double rate) {
  return {[start, rate](double t) { return start + rate * t; }, [rate](double) { return rate; }, no_change};
}

MaterialPoint material_point(const BodySet& bodies, const Anchor& anchor, const char* what) {
  require_finite(anchor.point, what);
  return {anchor.body, anchor.body ? kinematic(bodies, *anchor.body).to_body(anchor.point) : anchor.point};
}

MaterialDirection material_direction(const BodySet& bodies, std::optional<BodyId> body,
                                     const Eigen::Vector3d& direction, const char* what) {
  require_finite(direction, what);
  const double largest = direction.cwiseAbs().maxCoeff();
  if (largest == 0) {
    throw std::invalid_argument(std::string(what) + ": expected a vector of length > 0, found 0");
  }
  const Eigen::Vector3d unit = (direction / largest).normalized();
  if (!body) return {body, unit};
  // D such that it points along `unit` now: bodies are affine maps.
  const KinematicBody& carrier = kinematic(bodies, *body);
  const Eigen::Vector3d centre = carrier.to_space(Eigen::Vector3d::Zero());
  return {body, carrier.to_body(centre + unit) - carrier.to_body(centre)};
}

BodyQuantities::BodyQuantities(const BodySet& bodies, std::span<const BodyId> ids, std::span<const double> memory)
    : bodies_(bodies), ids_(ids), first_(1, 0), memory_(memory), found_(memory.begin(), memory.end()) {
  first_.reserve(ids.size() + 1);
  for (BodyId id : ids) first_.push_back(first_.back() + bodies[id].freedoms());
  if (first_.back() > kMaxVelocities) {
    throw std::invalid_argument("bodies: expected at most " + std::to_string(kMaxVelocities) + " velocities, found " +
                                std::to_string(first_.back()));
  }
}

Eigen::Index BodyQuantities::first_of(BodyId body) const {
  return first_[static_cast<std::size_t>(std::find(ids_.begin(), ids_.end(), body) - ids_.begin())];
}

VectorQuantity BodyQuantities::constant(const Eigen::Vector3d& v) const {
  VectorQuantity quantity;
  quantity.value = v;
  quantity.H.setZero(3, freedoms());
  return quantity;
}

VectorQuantity BodyQuantities::point(const MaterialPoint& p) const {
  VectorQuantity quantity = constant(p.X);
  if (!p.body) return quantity;
  const KinematicBody& body = kinematic(bodies_, *p.body);
  const MaterialMotion motion = body.point_motion(p.X);
  quantity.value = motion.value;
  quantity.velocity = motion.velocity;
  quantity.bias = motion.bias;
  if (body.freedoms() == 0) {
    quantity.drive = motion.velocity;
  } else {
    PointJacobian H(3, body.freedoms());
    body.point_jacobian(motion.value, Eigen::Matrix3d::Identity(), H);
    quantity.H.middleCols(first_of(*p.body), H.cols()) = H;
  }
  return quantity;
}

VectorQuantity BodyQuantities::direction(const MaterialDirection& d) const {
  VectorQuantity quantity = constant(d.D);
  if (!d.body) return quantity;
  const KinematicBody& body = kinematic(bodies_, *d.body);
  const MaterialMotion motion = body.direction_motion(d.D);
  quantity.value = motion.value;
  quantity.velocity = motion.velocity;
  quantity.bias = motion.bias;
  if (body.freedoms() == 0) {
    quantity.drive = motion.velocity;
  } else {
    PointJacobian H(3, body.freedoms());
    body.direction_jacobian(d.D, H);
    quantity.H.middleCols(first_of(*d.body), H.cols()) = H;
  }
  return quantity;
}

VectorQuantity BodyQuantities::between(const MaterialPoint& from, const MaterialPoint& to) const {
  if (from.body == to.body) return direction({from.body, to.X - from.X});
  return point(to) - point(from);
}

VectorRate BodyQuantities::spin(std::optional<BodyId> id) const {
  VectorRate rate;
  rate.H.setZero(3, freedoms());
  if (!id) return rate;
  const KinematicBody& body = kinematic(bodies_, *id);
  if (dynamic_cast<const PseudoRigidBody*>(&body) != nullptr) {
    throw std::invalid_argument("spin: expected a body that stays rigid, found body " + std::to_string(*id) +
                                ", which deforms");
  }
  // ḋ = ω × d of three directions at right angles: Σ d × ḋ = 2 ω. It does not change while u does not.
  for (int axis = 0; axis < 3; ++axis) {
    const MaterialMotion motion = body.direction_motion(Eigen::Vector3d::Unit(axis));
    rate.velocity += 0.5 * motion.value.cross(motion.velocity);
  }
  if (body.freedoms() == 0) {
    rate.drive = rate.velocity;
  } else {
    PointJacobian H(3, body.freedoms());
    body.spin_jacobian(Eigen::Matrix3d::Identity(), H);
    rate.H.middleCols(first_of(*id), H.cols()) = H;
  }
  return rate;
}

Quantity BodyQuantities::coordinate(BodyId id) const {
  const Body& body = bodies_[id];
  Quantity quantity;
  if (const auto* massless = dynamic_cast<const MasslessCoordinate*>(&body)) {
    quantity.value = massless->value();
  } else if (const auto* rotor = dynamic_cast<const Rotor*>(&body)) {
    quantity.value = rotor->value();
  } else {
    throw std::invalid_argument("coordinate: expected a coordinate without mass, or a rotor, found body " +
                                std::to_string(id));
  }
  quantity.velocity = body.velocity()[0];
  quantity.H.setZero(freedoms());
  quantity.H[first_of(id)] = 1;
  return quantity;
}

Quantity BodyQuantities::at_time(const TimeFunction& f) const {
  const double t = bodies_.time();
  Quantity quantity;
  quantity.value = f.value(t);
  quantity.velocity = quantity.drive = f.first(t);
  quantity.bias = f.second(t);
  quantity.H.setZero(freedoms());
  return quantity;
}

Quantity BodyQuantities::unwound(Quantity angle, std::size_t k) const {
  angle.value = memory_[k] + std::remainder(angle.value - memory_[k], 2 * std::numbers::pi);
  found_[k] = angle.value;
  return angle;
}

}  // namespace locdyn
