#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>

#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/contact/local_frame.hpp>

namespace locdyn {
using namespace detail;

RigidLink::RigidLink(const Anchor& master, const Anchor& slave, double length)
    : points_(master, slave), length_(length) {
  require_positive(length, "length");
}

void RigidLink::attach(const BodySet& bodies) {
  points_.attach(bodies);
  if (!length_) length_ = length(bodies);
  if (!(length(bodies) > 0)) throw std::invalid_argument("length: expected two points apart, found one place");
}

void RigidLink::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  points_.evaluate(bodies, local_frame(points_.slave(bodies) - points_.master(bodies)), kinematics);
}

void RigidLink::position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const {
  error[0] = {0, 0, length(bodies) - *length_};
}

// The second derivative of the length: along the link, and what its turning adds.
void RigidLink::acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const {
  const MaterialMotion link = points_.relative(bodies);
  const double length = link.value.norm();
  const Eigen::Vector3d n = link.value / length;
  const Eigen::Vector3d turning = link.velocity - n.dot(link.velocity) * n;
  bias[0] = {0, 0, n.dot(link.bias) + turning.squaredNorm() / length};
}

Law RigidLink::law(double, std::span<const Eigen::Vector3d>) const {
  BilateralLaw law;
  law.block[0].rows = kRowNormal;
  return law;
}

}  // namespace locdyn
