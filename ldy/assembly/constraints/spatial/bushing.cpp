#include <locdyn/ldy/assembly/constraints/spatial/bushing.hpp>

#include <stdexcept>
#include <utility>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

void validate(const BushingProperties& properties) {
  for (const auto& [value, what] : {std::pair(properties.stiffness, "stiffness"),
                                    {properties.damping, "damping"},
                                    {properties.angular_stiffness, "angular stiffness"},
                                    {properties.angular_damping, "angular damping"}}) {
    require_finite(value, what);
    if (value < 0) throw std::invalid_argument(std::string(what) + ": expected >= 0, found " + spelled(value));
  }
  if (!properties.pulls() && !properties.turns()) {
    throw std::invalid_argument("stiffness and damping: expected one above 0, found all 0");
  }
}

Bushing::Bushing(RelativePlacement placement, const BushingProperties& properties)
    : Joint(placement.bodies()), placement_(std::move(placement)), properties_(properties) {
  validate(properties);
}

void Bushing::take_hold(const BodySet& bodies) {
  placement_.take_hold(bodies);
}

void Bushing::measure(const BodyQuantities& at, JointRows& rows) const {
  const auto axis = [&at](int i) { return at.constant(Eigen::Vector3d::Unit(i)); };
  if (properties_.pulls()) {
    const VectorRate v = placement_.velocity(at);
    for (int i = 0; i < 3; ++i) rows.length_rate(dot(axis(i), v));
  }
  if (properties_.turns()) {
    const VectorRate w = placement_.spin(at);
    for (int i = 0; i < 3; ++i) rows.angle_rate(dot(axis(i), w));
  }
}

void Bushing::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  Joint::evaluate(bodies, kinematics);
  const BodyQuantities at(bodies, this->bodies());
  d_ = placement_.displacement(at);
  phi_ = placement_.rotation(at);
}

// Rows of angles are ℓ ω with R = M/ℓ: their gains go over ℓ².
Law Bushing::law(double h, std::span<const Eigen::Vector3d> V) const {
  Law law = Joint::law(h, V);
  auto& rows = std::get<BilateralLaw>(law);
  const auto set = [h](BilateralLaw::Block& block, double k, double c, const Eigen::Vector3d& x) {
    const double compliance = 1 / (0.5 * h * k + c);
    block.compliance.setConstant(compliance);
    block.shift = compliance * k * x;
  };
  const double l = length();
  if (properties_.pulls()) set(rows.block[0], properties_.stiffness, properties_.damping, d_);
  if (properties_.turns()) {
    set(rows.block[static_cast<std::size_t>(rows.block_count - 1)], properties_.angular_stiffness / (l * l),
        properties_.angular_damping / (l * l), l * phi_);
  }
  return law;
}

}  // namespace locdyn
