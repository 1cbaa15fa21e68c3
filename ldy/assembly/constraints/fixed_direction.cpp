#include <locdyn/ldy/assembly/constraints/fixed_direction.hpp>

#include <locdyn/contact/local_frame.hpp>

namespace locdyn {

FixedDirection::FixedDirection(const Anchor& master, const Anchor& slave, const Eigen::Vector3d& direction)
    : points_(master, slave), frame_(local_frame(direction)) {}

void FixedDirection::attach(const BodySet& bodies) {
  points_.attach(bodies);
  offset_ = frame_.col(2).dot(points_.slave(bodies) - points_.master(bodies));
}

void FixedDirection::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  points_.evaluate(bodies, frame_, kinematics);
}

void FixedDirection::position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const {
  error[0] = {0, 0, frame_.col(2).dot(points_.slave(bodies) - points_.master(bodies)) - offset_};
}

void FixedDirection::acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const {
  bias[0] = {0, 0, frame_.col(2).dot(points_.relative(bodies).bias)};
}

Law FixedDirection::law(double, std::span<const Eigen::Vector3d>) const {
  BilateralLaw law;
  law.block[0].rows = kRowNormal;
  return law;
}

}  // namespace locdyn
