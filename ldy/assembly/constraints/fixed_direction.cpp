#include <locdyn/ldy/assembly/constraints/fixed_direction.hpp>

#include <locdyn/contact/local_frame.hpp>

namespace locdyn {

FixedDirection::FixedDirection(const Anchor& master, const Anchor& slave, const Eigen::Vector3d& direction)
    : points_(master, slave), frame_(local_frame(direction)) {}

void FixedDirection::attach(const BodySet& bodies) { points_.attach(bodies); }

void FixedDirection::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  points_.evaluate(bodies, frame_, kinematics);
}

Law FixedDirection::law(double, std::span<const Eigen::Vector3d>) const {
  BilateralLaw law;
  law.block[0].rows = kRowNormal;
  return law;
}

}  // namespace locdyn
