#include <locdyn/io/scene/add_joint.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <locdyn/bodies/planar_body.hpp>

namespace locdyn::scene_format {
namespace {

bool is_planar(const System& system, BodyId body) {
  return dynamic_cast<const PlanarBody*>(&system.bodies()[body]) != nullptr;
}

}  // namespace

JointBodies bodies_of(const SceneJoint& joint, const System& system) {
  JointBodies bodies{system.find(joint.bodies.at(0)), std::nullopt};
  if (joint.bodies.size() > 1) bodies.master = system.find(joint.bodies[1]);
  return bodies;
}

void add_joint(const SceneJoint& joint, System& system, Springs springs) {
  const JointBodies bodies = bodies_of(joint, system);
  const bool planar = is_planar(system, bodies.slave) || (bodies.master && is_planar(system, *bodies.master));
  const JointBuilder builder{bodies, system, joint.name, planar, springs};
  const auto before = static_cast<std::ptrdiff_t>(system.constraints().size());
  std::visit([&builder](const auto& j) { build(j, builder); }, joint.type);
  if (joint.breaking.given) {
    // What acts on its coordinate comes after the joint itself.
    const std::vector<ConstraintId> made(system.constraints().begin() + before, system.constraints().end());
    BreakingLoad load;
    if (joint.breaking.force) load.force = *joint.breaking.force;
    if (joint.breaking.torque) load.moment = *joint.breaking.torque;
    system.set_breaking(made.front(), load, std::span(made).subspan(1));
  }
  if (!joint.collide && bodies.master) system.exclude_pair(bodies.slave, *bodies.master);
}

}  // namespace locdyn::scene_format
