#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>

#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/contact/local_frame.hpp>

namespace locdyn {
using namespace detail;

void validate(const SpringProperties& properties) {
  require_finite(properties.stiffness, "stiffness");
  require_finite(properties.damping, "damping");
  if (properties.stiffness < 0) {
    throw std::invalid_argument("stiffness: expected >= 0, found " + spelled(properties.stiffness));
  }
  if (properties.damping < 0)
    throw std::invalid_argument("damping: expected >= 0, found " + spelled(properties.damping));
  if (properties.stiffness + properties.damping == 0) {
    throw std::invalid_argument("stiffness and damping: expected one above 0, found both 0");
  }
}

SpringDamper::SpringDamper(const Anchor& master, const Anchor& slave, const SpringProperties& properties)
    : points_(master, slave), properties_(properties) {
  validate(properties);
}

SpringDamper::SpringDamper(const Anchor& master, const Anchor& slave, const SpringProperties& properties,
                           double rest_length)
    : SpringDamper(master, slave, properties) {
  require_finite(rest_length, "rest length");
  if (rest_length < 0) throw std::invalid_argument("rest length: expected >= 0, found " + spelled(rest_length));
  rest_length_ = rest_length;
}

void SpringDamper::attach(const BodySet& bodies) {
  points_.attach(bodies);
  if (!rest_length_) rest_length_ = (points_.slave(bodies) - points_.master(bodies)).norm();
}

void SpringDamper::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  const Eigen::Vector3d along = points_.slave(bodies) - points_.master(bodies);
  elongation_ = along.norm() - *rest_length_;
  points_.evaluate(bodies, local_frame(along), kinematics);
}

Law SpringDamper::law(double h, std::span<const Eigen::Vector3d>) const {
  const double compliance = 1 / (0.5 * h * properties_.stiffness + properties_.damping);
  BilateralLaw law;
  law.block[0].rows = kRowNormal;
  law.block[0].compliance[2] = compliance;
  law.block[0].shift[2] = compliance * properties_.stiffness * elongation_;
  return law;
}

}  // namespace locdyn
