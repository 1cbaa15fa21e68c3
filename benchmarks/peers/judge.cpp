#include "judge.hpp"

#include <algorithm>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/local_frame.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/laws/contact_law.hpp>

namespace locdyn::peers {
namespace {

void add_bodies(BodySet& bodies, const Scene& scene, std::span<const BodyState> before) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].fixed) {
      bodies.emplace<Obstacle>();
      continue;
    }
    const BodyState& state = before[i];
    const BodyId id = bodies.emplace<RigidBody>(scene.bodies[i].mass, state.position, state.orientation);
    Eigen::Matrix<double, 6, 1> u;
    u << state.orientation.conjugate() * state.angular_velocity, state.velocity;
    bodies[id].set_velocity(u);
  }
}

}  // namespace

Verdict judge(const Scene& scene, std::span<const BodyState> before, const Engine& engine) {
  BodySet bodies;
  add_bodies(bodies, scene, before);
  if (engine.contacts_at_half_step()) bodies.advance(0.5 * scene.h);
  bodies.predict(scene.h, {0, 0, -9.81});

  LocalDynamics ldy;
  Assembly assembly(bodies, ldy);
  std::vector<std::pair<ConstraintId, Eigen::Vector3d>> shifts;
  std::vector<std::pair<ConstraintId, Eigen::Vector3d>> reactions;
  for (const EngineContact& contact : engine.contacts()) {
    auto master = static_cast<BodyId>(contact.master), slave = static_cast<BodyId>(contact.slave);
    const bool turned = scene.bodies[slave].fixed;  // the slave is a body that moves
    if (turned && scene.bodies[master].fixed) continue;
    if (turned) std::swap(master, slave);
    const double sign = turned ? -1 : 1;
    const ContactPoint point{.master = master,
                             .slave = slave,
                             .point = contact.point,
                             .frame = local_frame(sign * contact.normal),
                             .gap = contact.gap,
                             .material = {.friction = scene.friction, .restitution = 0}};
    const ConstraintId id = assembly.emplace<Contact>(point);
    reactions.emplace_back(id, sign * point.frame.transpose() * contact.force);
    if (contact.shift) shifts.emplace_back(id, sign * point.frame.transpose() * *contact.shift);
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
  if (!shifts.empty()) {
    for (const auto& [id, shift] : shifts) ldy.set_law(id, ContactLaw{.friction = scene.friction, .shift = shift});
    verdict.own = evaluate_residual(ldy).scaled;
  }
  return verdict;
}

}  // namespace locdyn::peers
