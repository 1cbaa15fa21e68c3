#include <locdyn/io/scene/check_force.hpp>

#include <string>
#include <variant>

namespace locdyn::scene_format {

void check_force(const SceneForce& force, FaultList& list) {
  const ForceBodies bodies = bodies_of(force);
  if (force.bodies.size() < bodies.least || force.bodies.size() > bodies.most) {
    list.fault(force.place + ".bodies", bodies.least == bodies.most ? "one" : "one or two",
               force.bodies.empty() ? "none" : std::to_string(force.bodies.size()));
  }
  std::visit([faults = ForceFaults{force.place, list}](const auto& f) { check(f, faults); }, force.type);
}

}  // namespace locdyn::scene_format
