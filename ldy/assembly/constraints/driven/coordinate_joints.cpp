#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>

#include <algorithm>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>

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

void require_given(const std::function<double(double)>& f, const char* what) {
  if (!f) throw std::invalid_argument(std::string(what) + ": expected a function of time, found none");
}

}  // namespace

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
                             std::function<double(double)> derivative)
    : Joint(coordinate.bodies(), coordinate.memory_size()),
      coordinate_(std::move(coordinate)),
      w_{std::move(w), std::move(derivative), [](double) { return 0.0; }} {
  require_given(w_.value, "w");
  require_given(w_.first, "derivative of w");
}

VelocityMotor::VelocityMotor(Coordinate coordinate, double w)
    : VelocityMotor(
          std::move(coordinate), [w](double) { return w; }, [](double) { return 0.0; }) {}

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
  return asking(Joint::law(h, V), length() * (w_.value(time_ + h / 2) - w_.value(time_)));
}

// --- limit -----------------------------------------------------------------------------------------------------------

Limit::Limit(Coordinate coordinate, Side side, double bound)
    : Joint(coordinate.bodies(), coordinate.memory_size()),
      coordinate_(std::move(coordinate)),
      side_(side),
      bound_(bound) {
  require_finite(bound, "bound");
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

Law Limit::law(double h, std::span<const Eigen::Vector3d>) const {
  return ContactLaw{.friction = 0, .shift = {0, 0, std::max(gap_, 0.0) / h}};
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
