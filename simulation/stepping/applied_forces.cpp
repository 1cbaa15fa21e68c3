#include <locdyn/simulation/stepping/applied_forces.hpp>

namespace locdyn::detail {

void AppliedForces::load(double time, double h, std::span<const BodyId> ids) {
  BodySet& bodies = system_.bodies();
  for (const BodyId id : ids) bodies[id].clear_forces();
  for (const Load& load : system_.loads()) load(time, h, bodies);
}

void AppliedForces::take(double h, int threads, std::span<const BodyId> ids) {
  BodySet& bodies = system_.bodies();
  if (system_.forces().depends_on_velocity()) {
    foresee(h, threads, ids);
  } else {
    system_.forces().add_to(bodies);
  }
  bodies.predict(h, system_.gravity, ids, threads);
}

// Leaves the bodies with their loads and with the forces at ũ.
void AppliedForces::foresee(double h, int threads, std::span<const BodyId> ids) {
  BodySet& bodies = system_.bodies();
  loads_.resize(bodies.id_bound());
  velocity_.resize(bodies.id_bound());
  for (const BodyId id : ids) {
    loads_[id] = bodies[id].added_force();
    velocity_[id] = bodies[id].velocity();
  }
  const auto put_back = [&] {
    for (const BodyId id : ids) bodies[id].set_velocity(velocity_[id]);
  };

  system_.forces().add_to(bodies);
  bodies.predict(h, system_.gravity, ids, threads);
  try {
    system_.assembly().apply_reactions(threads, ids);
    for (const BodyId id : ids) {
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

}  // namespace locdyn::detail
