#include <locdyn/ldy/assembly/constraints/prescribed_velocity.hpp>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/contact/local_frame.hpp>

namespace locdyn {
using namespace detail;

PrescribedVelocity::PrescribedVelocity(const Anchor& master, const Anchor& slave, const Eigen::Vector3d& direction,
                                       double velocity)
    : points_(master, slave), frame_(local_frame(direction)) {
  set_velocity(velocity);
}

void PrescribedVelocity::set_velocity(double velocity) {
  require_finite(velocity, "prescribed velocity");
  velocity_ = velocity;
}

void PrescribedVelocity::attach(const BodySet& bodies) {
  points_.attach(bodies);
}

void PrescribedVelocity::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  points_.evaluate(bodies, frame_, kinematics);
}

void PrescribedVelocity::acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const {
  bias[0] = {0, 0, frame_.col(2).dot(points_.relative(bodies).bias)};
}

Law PrescribedVelocity::law(double, std::span<const Eigen::Vector3d>) const {
  BilateralLaw law;
  law.block[0].rows = kRowNormal;
  law.block[0].shift[2] = -velocity_;
  return law;
}

}  // namespace locdyn
