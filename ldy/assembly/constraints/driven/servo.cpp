#include <locdyn/ldy/assembly/constraints/driven/servo.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_row.hpp>

namespace locdyn {
using namespace detail;

void validate(const ServoGains& gains) {
  validate(SpringProperties{.stiffness = gains.stiffness, .damping = gains.damping});
  validate(gains.force);
}

namespace {

ServoTarget followed(const TimeFunction& f) {
  require_given(f.value, "f");
  require_given(f.first, "first derivative of f");
  return {f.value, f.first};
}

}  // namespace

// --- servo -----------------------------------------------------------------------------------------------------------

Servo::Servo(Coordinate coordinate, const ServoGains& gains, ServoTarget target)
    : Joint(coordinate.bodies(), coordinate.memory_size()),
      coordinate_(std::move(coordinate)),
      gains_(gains),
      target_(std::move(target)) {
  validate(gains);
  if (gains.stiffness > 0) require_given(target_.position, "position of a servo");
  if (gains.damping > 0) require_given(target_.speed, "speed of a servo");
}

Servo::Servo(Coordinate coordinate, const ServoGains& gains, TimeFunction f)
    : Servo(std::move(coordinate), gains, followed(f)) {}

void Servo::take_hold(const BodySet& bodies) {
  coordinate_.take_hold(bodies);
}

void Servo::measure(const BodyQuantities& at, JointRows& rows) const {
  const Quantity x = coordinate_.measure(at, 0);
  coordinate_.is_angle() ? rows.angle(x) : rows.length(x);
}

void Servo::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  Joint::evaluate(bodies, kinematics);
  Eigen::Vector3d x;
  Joint::position_error(bodies, {&x, 1});
  x_ = x[2];
  time_ = bodies.time();
}

void Servo::position_error(const BodySet&, std::span<Eigen::Vector3d> error) const {
  error[0].setZero();
}

// The row is ℓ x and R = M/ℓ: gains of an angle go over ℓ².
Law Servo::law(double h, std::span<const Eigen::Vector3d>) const {
  const double l = coordinate_.is_angle() ? length() : 1;
  const double k = gains_.stiffness / (l * l), c = gains_.damping / (l * l);
  const double end = time_ + h / 2;
  const double compliance = 1 / (0.5 * h * k + c);
  const double distance = k > 0 ? x_ - l * target_.position(end) : 0;
  const double speed = c > 0 ? l * target_.speed(end) : 0;
  BilateralLaw law;
  law.block[0].rows = kRowNormal;
  law.block[0].compliance[2] = compliance;
  law.block[0].shift[2] = compliance * (k * distance - c * speed);
  return gains_.force.limited() ? bounded_by(gains_.force, l, law) : law;
}

// --- dry friction ----------------------------------------------------------------------------------------------------

DryFriction::DryFriction(Coordinate coordinate, double limit)
    : Joint(coordinate.bodies(), coordinate.memory_size()), coordinate_(std::move(coordinate)), limit_(limit) {
  if (limit > 0 && std::isfinite(limit)) return;
  throw std::invalid_argument("friction limit: expected a finite number > 0, found " + spelled(limit));
}

void DryFriction::take_hold(const BodySet& bodies) {
  coordinate_.take_hold(bodies);
}

void DryFriction::measure(const BodyQuantities& at, JointRows& rows) const {
  const Rate rate = coordinate_.measure(at, 0);
  coordinate_.is_angle() ? rows.angle_rate(rate) : rows.length_rate(rate);
}

Law DryFriction::law(double h, std::span<const Eigen::Vector3d> V) const {
  return bounded_by({.lower = -limit_, .upper = limit_}, coordinate_.is_angle() ? length() : 1, Joint::law(h, V));
}

}  // namespace locdyn
