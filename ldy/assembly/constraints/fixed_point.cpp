#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>

namespace locdyn {

void FixedPoint::attach(const BodySet& bodies) {
  points_.attach(bodies);
}

void FixedPoint::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  points_.evaluate(bodies, Eigen::Matrix3d::Identity(), kinematics);
}

void FixedPoint::position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const {
  error[0] = separation(bodies);
}

void FixedPoint::acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const {
  bias[0] = points_.relative(bodies).bias;
}

Law FixedPoint::law(double, std::span<const Eigen::Vector3d>) const {
  return BilateralLaw{};
}

}  // namespace locdyn
