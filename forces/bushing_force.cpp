#include <locdyn/forces/bushing_force.hpp>

#include <utility>

namespace locdyn {

BushingForce::BushingForce(RelativePlacement placement, const BushingProperties& properties)
    : placement_(std::move(placement)), properties_(properties) {
  validate(properties);
}

void BushingForce::attach(const BodySet& bodies) {
  placement_.take_hold(bodies);
}

void BushingForce::add_to(BodySet& bodies) {
  const BodyQuantities at(bodies, placement_.bodies());
  Eigen::VectorXd f = Eigen::VectorXd::Zero(at.freedoms());
  if (properties_.pulls()) {
    const VectorRate v = placement_.velocity(at);
    f -= v.H.transpose() * (properties_.stiffness * placement_.displacement(at) + properties_.damping * v.velocity);
  }
  if (properties_.turns()) {
    const VectorRate w = placement_.spin(at);
    f -= w.H.transpose() *
         (properties_.angular_stiffness * placement_.rotation(at) + properties_.angular_damping * w.velocity);
  }
  for (std::size_t k = 0; k < placement_.bodies().size(); ++k) {
    Body& body = bodies[placement_.bodies()[k]];
    if (body.freedoms() > 0) body.add_generalised_force(f.segment(at.first(k), body.freedoms()));
  }
}

double BushingForce::potential_energy(const BodySet& bodies) const {
  const BodyQuantities at(bodies, placement_.bodies());
  return 0.5 * properties_.stiffness * placement_.displacement(at).squaredNorm() +
         0.5 * properties_.angular_stiffness * placement_.rotation(at).squaredNorm();
}

double BushingForce::dissipated_power(const BodySet& bodies) const {
  const BodyQuantities at(bodies, placement_.bodies());
  double power = 0;
  if (properties_.damping > 0) power += properties_.damping * placement_.velocity(at).velocity.squaredNorm();
  if (properties_.angular_damping > 0) {
    power += properties_.angular_damping * placement_.spin(at).velocity.squaredNorm();
  }
  return power;
}

}  // namespace locdyn
