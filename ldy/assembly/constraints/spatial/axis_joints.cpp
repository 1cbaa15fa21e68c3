#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

AxisJoint::AxisJoint(const Axis& master, const Axis& slave, std::size_t angles)
    : Joint({slave.body, master.body}, angles), given_master_(master), given_slave_(slave) {}

void AxisJoint::take_hold(const BodySet& bodies) {
  master_ = hold(bodies, given_master_, "axis of the master");
  slave_ = hold(bodies, given_slave_, master_, "axis of the slave");
}

VectorQuantity AxisJoint::separation(const BodyQuantities& at) const {
  return at.point(slave_.point) - at.point(master_.point);
}

void AxisJoint::keep_parallel(const BodyQuantities& at, JointRows& rows) const {
  const VectorQuantity along = at.direction(slave_.along);
  rows.angle(dot(along, at.direction(master_.first)));
  rows.angle(dot(along, at.direction(master_.second)));
}

void AxisJoint::keep_from_turning(const BodyQuantities& at, JointRows& rows) const {
  rows.angle(dot(at.direction(slave_.first), at.direction(master_.second)));
}

void AxisJoint::keep_on_axis(const BodyQuantities& at, JointRows& rows) const {
  const VectorQuantity d = separation(at);
  rows.length(dot(d, at.direction(master_.first)));
  rows.length(dot(d, at.direction(master_.second)));
}

Quantity AxisJoint::turn(const BodyQuantities& at) const {
  return signed_angle(at.direction(master_.first), at.direction(slave_.first), at.direction(master_.along));
}

Hinge::Hinge(const Axis& master, const Axis& slave, const std::optional<JointFriction>& friction)
    : AxisJoint(master, slave) {
  set_friction(friction, FrictionOf::angle);
}

void Hinge::measure(const BodyQuantities& at, JointRows& rows) const {
  rows.lengths(separation(at));
  keep_parallel(at, rows);
  if (friction()) rows.angle_friction(turn(at));
}

void Cylindrical::measure(const BodyQuantities& at, JointRows& rows) const {
  keep_on_axis(at, rows);
  keep_parallel(at, rows);
}

Screw::Screw(const Axis& master, const Axis& slave, double pitch, const std::optional<JointFriction>& friction)
    : AxisJoint(master, slave, 1), pitch_(pitch) {
  require_finite(pitch, "pitch");
  if (pitch == 0) throw std::invalid_argument("pitch: expected a length that is not 0, found 0");
  if (!friction) return;
  JointFriction of_angle = *friction;
  validate(of_angle, FrictionOf::angle);
  if (friction->radius > 0) {
    lead_ = std::atan(pitch / (2 * std::numbers::pi * friction->radius));
    of_angle.radius /= std::cos(lead_);
  }
  set_friction(of_angle, FrictionOf::angle);
}

void Screw::take_hold(const BodySet& bodies) {
  AxisJoint::take_hold(bodies);
  const BodyQuantities at(bodies, this->bodies());
  start_ = dot(separation(at), at.direction(master_.along)).value;
}

void Screw::measure(const BodyQuantities& at, JointRows& rows) const {
  keep_on_axis(at, rows);
  const VectorQuantity along = at.direction(master_.along);
  const Quantity angle = at.unwound(turn(at), 0);
  const Quantity slid = dot(separation(at), along);
  // Its reaction is the force normal to the thread where friction asks for that.
  const double cosine = std::cos(lead_);
  rows.length(cosine * (slid - pitch_ / (2 * std::numbers::pi) * angle - start_));
  keep_parallel(at, rows);
  // Along the helix, cos α r θ̇ + sin α ḋ, over r/cos α: θ̇ where the thread holds.
  if (!friction()) return;
  const double by_length = lead_ == 0 ? 0 : std::sin(lead_) / friction()->radius;
  rows.angle_friction(cosine * cosine * static_cast<const Rate&>(angle) -
                      (-by_length) * static_cast<const Rate&>(slid));
}

Prismatic::Prismatic(const Axis& master, const Axis& slave, const std::optional<JointFriction>& friction)
    : AxisJoint(master, slave) {
  set_friction(friction, FrictionOf::length);
}

void Prismatic::measure(const BodyQuantities& at, JointRows& rows) const {
  keep_on_axis(at, rows);
  keep_parallel(at, rows);
  keep_from_turning(at, rows);
  if (friction()) rows.length_friction(dot(separation(at), at.direction(master_.along)));
}

void Universal::take_hold(const BodySet& bodies) {
  AxisJoint::take_hold(bodies);
  const BodyQuantities at(bodies, this->bodies());
  const double cosine = dot(at.direction(master_.along), at.direction(slave_.along)).value;
  if (std::abs(cosine) > 1 - 1e-12) {
    throw std::invalid_argument("axes: expected two at right angles, found parallel ones");
  }
}

void Universal::measure(const BodyQuantities& at, JointRows& rows) const {
  rows.lengths(separation(at));
  rows.angle(dot(at.direction(master_.along), at.direction(slave_.along)));
}

void PlaneOnPlane::measure(const BodyQuantities& at, JointRows& rows) const {
  rows.length(dot(separation(at), at.direction(master_.along)));
  keep_parallel(at, rows);
}

Weld::Weld(const Anchor& master, const Anchor& slave)
    : AxisJoint({master.point, Eigen::Vector3d::UnitZ(), master.body},
                {slave.point, Eigen::Vector3d::UnitZ(), slave.body}) {}

void Weld::measure(const BodyQuantities& at, JointRows& rows) const {
  rows.lengths(separation(at));
  keep_parallel(at, rows);
  keep_from_turning(at, rows);
}

}  // namespace locdyn
