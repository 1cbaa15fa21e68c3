#include <locdyn/dynamics/stepping/applied_forces.hpp>

namespace locdyn {

void AppliedForces::take(double time, double h, int threads) {
  BodySet& bodies = system_.bodies();
  for (BodyId id = 0; id < bodies.size(); ++id) bodies[id].clear_forces();
  for (const Load& load : system_.loads()) load(time, h, bodies);
  if (system_.forces().depends_on_velocity()) {
    foresee(h, threads);
  } else {
    system_.forces().add_to(bodies);
  }
  bodies.predict(h, system_.gravity);
}

// Leaves the bodies with their loads and with the forces at ũ.
void AppliedForces::foresee(double h, int threads) {
  BodySet& bodies = system_.bodies();
  loads_.resize(bodies.size());
  velocity_.resize(bodies.size());
  for (BodyId id = 0; id < bodies.size(); ++id) {
    loads_[id] = bodies[id].added_force();
    velocity_[id] = bodies[id].velocity();
  }
  const auto put_back = [&] {
    for (BodyId id = 0; id < bodies.size(); ++id) bodies[id].set_velocity(velocity_[id]);
  };

  system_.forces().add_to(bodies);
  bodies.predict(h, system_.gravity);
  try {
    system_.assembly().apply_reactions(threads);
    for (BodyId id = 0; id < bodies.size(); ++id) {
      Body& body = bodies[id];
      if (body.freedoms() > 0) body.set_velocity(0.5 * (velocity_[id] + body.velocity()));
      body.clear_forces();
      body.add_generalised_force(loads_[id]);
    }
    system_.forces().add_to(bodies);
  } catch (...) {
    put_back();
    throw;
  }
  put_back();
}

}  // namespace locdyn
