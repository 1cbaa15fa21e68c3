#include "judge.hpp"

#include <algorithm>
#include <cmath>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/local_frame.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/laws/contact_law.hpp>

namespace locdyn::peers {
namespace {

// A fixed body that moves has in the engine the velocity that it had in the step.
void add_bodies(BodySet& bodies, const Scene& scene, std::span<const BodyState> before, const Engine& engine) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyState& state = before[i];
    if (scene.bodies[i].carrier >= 0) {
      const BodyState now = engine.state(static_cast<int>(i));
      bodies.emplace<Obstacle>(now.velocity, now.angular_velocity, state.position);
      continue;
    }
    if (scene.bodies[i].fixed) {
      bodies.emplace<Obstacle>();
      continue;
    }
    const BodyId id = bodies.emplace<RigidBody>(scene.bodies[i].mass, state.position, state.orientation);
    Eigen::Matrix<double, 6, 1> u;
    u << state.orientation.conjugate() * state.angular_velocity, state.velocity;
    bodies[id].set_velocity(u);
  }
}

void add_forces(BodySet& bodies, const Scene& scene, std::span<const BodyState> before, double t) {
  for (const AppliedForce& applied : scene.forces) {
    const BodyState& state = before[static_cast<std::size_t>(applied.body)];
    Body& body = bodies[static_cast<BodyId>(applied.body)];
    body.add_force(applied.force(t, scene.h), state.position + state.orientation * applied.point);
    body.add_torque(applied.torque(t, scene.h));
  }
}

// Of a body's point at the contact, as the engine moves it after the step; it lay at x when the step began.
Eigen::Vector3d velocity_at(const Eigen::Vector3d& x, const BodyState& before, const BodyState& after) {
  return after.velocity + after.angular_velocity.cross(x - before.position);
}

}  // namespace

Verdict judge(const Scene& scene, std::span<const BodyState> before, const Engine& engine, double t) {
  BodySet bodies;
  add_bodies(bodies, scene, before, engine);
  if (engine.contacts_at_half_step()) bodies.advance(0.5 * scene.h);
  add_forces(bodies, scene, before, t);
  bodies.predict(scene.h, scene.gravity);

  LocalDynamics ldy;
  Assembly assembly(bodies, ldy);
  std::vector<std::pair<ConstraintId, ContactLaw>> shifted;
  std::vector<std::pair<ConstraintId, Eigen::Vector3d>> reactions, velocities;
  for (const EngineContact& contact : engine.contacts()) {
    auto master = static_cast<BodyId>(contact.master), slave = static_cast<BodyId>(contact.slave);
    const bool turned = scene.bodies[slave].fixed;  // the slave is a body that moves
    if (turned && scene.bodies[master].fixed) continue;
    if (turned) std::swap(master, slave);
    const double sign = turned ? -1 : 1;
    const double friction = std::sqrt(scene.friction_of(master) * scene.friction_of(slave));
    const ContactPoint point{.master = master,
                             .slave = slave,
                             .point = contact.point,
                             .frame = local_frame(sign * contact.normal),
                             .gap = contact.gap,
                             .material = {.friction = friction, .restitution = 0}};
    const ConstraintId id = assembly.emplace<Contact>(point);
    reactions.emplace_back(id, sign * point.frame.transpose() * contact.force);
    const auto moved = [&](BodyId body) -> Eigen::Vector3d {
      if (scene.bodies[body].fixed && scene.bodies[body].carrier < 0) return Eigen::Vector3d::Zero();
      return velocity_at(contact.point, before[body], engine.state(static_cast<int>(body)));
    };
    velocities.emplace_back(id, point.frame.transpose() * (moved(slave) - moved(master)));
    if (contact.shift) {
      shifted.emplace_back(id,
                           ContactLaw{.friction = friction, .shift = sign * point.frame.transpose() * *contact.shift});
    }
  }
  assembly.update(scene.h);
  double largest = 0;
  for (const auto& [id, R] : reactions) {
    ldy.row(id).R = R;
    largest = std::max(largest, R[2]);
  }

  Verdict verdict;
  const Residual residual = evaluate_residual(ldy);
  verdict.residual = verdict.own = residual.scaled;
  verdict.cone = largest > 0 ? residual.cone / largest : 0;
  if (!shifted.empty()) {
    for (const auto& [id, law] : shifted) ldy.set_law(id, law);
    verdict.own = evaluate_residual(ldy).scaled;
  }
  // B so that B + W R is what the engine made of its velocities.
  for (const auto& [id, U] : velocities) ldy.row(id).B += U - ldy.row(id).U;
  verdict.solved = evaluate_residual(ldy).scaled;
  return verdict;
}

}  // namespace locdyn::peers
