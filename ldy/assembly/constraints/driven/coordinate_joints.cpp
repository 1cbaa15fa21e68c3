#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>

#include <algorithm>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_row.hpp>

namespace locdyn {
using namespace detail;
namespace {

void add(JointRows& rows, const Coordinate& coordinate, const Quantity& c) {
  coordinate.is_angle() ? rows.angle(c) : rows.length(c);
}

// A bilateral row n that asks for `more` velocity than its drive does.
Law asking(Law law, double more) {
  std::get<BilateralLaw>(law).block[0].shift[2] = -more;
  return law;
}

}  // namespace

namespace detail {

void require_given(const std::function<double(double)>& f, const char* what) {
  if (!f) throw std::invalid_argument(std::string(what) + ": expected a function of time, found none");
}

Law bounded_by(const ForceRange& force, double length, const Law& held) {
  constexpr double kMost = 1e140;  // of a force without limit, whose square is no infinity
  BoundedLaw law;
  law.block[0] = std::get<BilateralLaw>(held).block[0];
  law.lower = std::max(force.lower / length, -kMost);
  law.upper = std::min(force.upper / length, kMost);
  return law;
}

}  // namespace detail

// --- prescribed ------------------------------------------------------------------------------------------------------

Prescribed::Prescribed(Coordinate coordinate, TimeFunction f)
    : Joint(coordinate.bodies(), coordinate.memory_size()), coordinate_(std::move(coordinate)), f_(std::move(f)) {
  require_given(f_.value, "f");
  require_given(f_.first, "first derivative of f");
  require_given(f_.second, "second derivative of f");
}

void Prescribed::take_hold(const BodySet& bodies) {
  coordinate_.take_hold(bodies);
  time_ = bodies.time();
}

void Prescribed::measure(const BodyQuantities& at, JointRows& rows) const {
  add(rows, coordinate_, coordinate_.measure(at, 0) - at.at_time(f_));
}

void Prescribed::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  Joint::evaluate(bodies, kinematics);
  time_ = bodies.time();
}

Law Prescribed::law(double h, std::span<const Eigen::Vector3d> V) const {
  return asking(Joint::law(h, V), length() * (f_.first(time_ + h / 2) - f_.first(time_)));
}

// --- velocity motor --------------------------------------------------------------------------------------------------

VelocityMotor::VelocityMotor(Coordinate coordinate, std::function<double(double)> w,
                             std::function<double(double)> derivative, const ForceRange& force)
    : Joint(coordinate.bodies(), coordinate.memory_size()),
      coordinate_(std::move(coordinate)),
      force_(force),
      w_{std::move(w), std::move(derivative), [](double) { return 0.0; }} {
  require_given(w_.value, "w");
  require_given(w_.first, "derivative of w");
  validate(force);
}

VelocityMotor::VelocityMotor(Coordinate coordinate, double w, const ForceRange& force)
    : VelocityMotor(
          std::move(coordinate), [w](double) { return w; }, [](double) { return 0.0; }, force) {}

void VelocityMotor::take_hold(const BodySet& bodies) {
  coordinate_.take_hold(bodies);
  time_ = bodies.time();
}

void VelocityMotor::measure(const BodyQuantities& at, JointRows& rows) const {
  const Quantity w = at.at_time(w_);
  Rate rate = coordinate_.measure(at, 0);
  rate.velocity -= w.value;
  rate.drive -= w.value;
  rate.bias -= w.velocity;
  coordinate_.is_angle() ? rows.angle_rate(rate) : rows.length_rate(rate);
}

void VelocityMotor::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  Joint::evaluate(bodies, kinematics);
  time_ = bodies.time();
}

Law VelocityMotor::law(double h, std::span<const Eigen::Vector3d> V) const {
  const Law held = asking(Joint::law(h, V), length() * (w_.value(time_ + h / 2) - w_.value(time_)));
  return force_.limited() ? bounded_by(force_, coordinate_.is_angle() ? length() : 1, held) : held;
}

// --- limit -----------------------------------------------------------------------------------------------------------

Limit::Limit(Coordinate coordinate, Side side, double bound, double restitution)
    : Joint(coordinate.bodies(), coordinate.memory_size()),
      coordinate_(std::move(coordinate)),
      side_(side),
      bound_(bound),
      restitution_(restitution) {
  require_finite(bound, "bound");
  if (!(restitution >= 0 && restitution <= 1)) {
    throw std::invalid_argument("restitution: expected 0 ... 1, found " + spelled(restitution));
  }
}

void Limit::take_hold(const BodySet& bodies) {
  coordinate_.take_hold(bodies);
}

void Limit::measure(const BodyQuantities& at, JointRows& rows) const {
  const Quantity above = coordinate_.measure(at, 0) - bound_;
  add(rows, coordinate_, side_ == Side::lower ? above : -1.0 * above);
}

void Limit::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  Joint::evaluate(bodies, kinematics);
  Eigen::Vector3d error;
  position_error(bodies, {&error, 1});
  gap_ = error[2];
}

Law Limit::law(double h, std::span<const Eigen::Vector3d> V) const {
  if (restitution_ == 0) return ContactLaw{.friction = 0, .shift = {0, 0, std::max(gap_, 0.0) / h}};
  if (gap_ > 0) return BoundedLaw{};  // R = 0: absent
  return ContactLaw{.friction = 0, .shift = {0, 0, restitution_ * std::min(V[0][2], 0.0)}};
}

// --- gear ------------------------------------------------------------------------------------------------------------

Gear::Gear(Coordinate first, Coordinate second, double ratio)
    : Joint(bodies_of(first, second), first.memory_size() + second.memory_size()),
      first_(std::move(first)),
      second_(std::move(second)),
      ratio_(ratio) {
  require_finite(ratio, "gear ratio");
  if (ratio == 0) throw std::invalid_argument("gear ratio: expected a number that is not 0, found 0");
}

Quantity Gear::mismatch(const BodyQuantities& at) const {
  return first_.measure(at, 0) - ratio_ * second_.measure(at, first_.memory_size()) - start_;
}

void Gear::take_hold(const BodySet& bodies) {
  first_.take_hold(bodies);
  second_.take_hold(bodies);
  const std::vector<double> none(memory().size(), 0.0);
  start_ = 0;
  start_ = mismatch(BodyQuantities(bodies, this->bodies(), none)).value;
}

void Gear::measure(const BodyQuantities& at, JointRows& rows) const {
  add(rows, first_, mismatch(at));
}

}  // namespace locdyn
