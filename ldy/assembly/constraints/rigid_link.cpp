#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>

#include <stdexcept>

#include <locdyn/contact/local_frame.hpp>

namespace locdyn {

void RigidLink::attach(const BodySet& bodies) {
  points_.attach(bodies);
  length_ = length(bodies);
  if (!(length_ > 0)) throw std::invalid_argument("length: expected two points apart, found one place");
}

void RigidLink::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  points_.evaluate(bodies, local_frame(points_.slave(bodies) - points_.master(bodies)), kinematics);
}

void RigidLink::position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const {
  error[0] = {0, 0, length(bodies) - length_};
}

Law RigidLink::law(double, std::span<const Eigen::Vector3d>) const {
  BilateralLaw law;
  law.block[0].rows = kRowNormal;
  return law;
}

}  // namespace locdyn
