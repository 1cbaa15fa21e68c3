#include <locdyn/io/scene/add_force.hpp>

#include <string>
#include <variant>

namespace locdyn::scene_format {

void add_force(const SceneForce& force, System& system) {
  ForceMaker maker{system, {}};
  for (const std::string& name : force.bodies) maker.bodies.push_back(system.find(name));
  system.add_force(std::visit([&maker](const auto& f) { return make(f, maker); }, force.type), force.name);
}

}  // namespace locdyn::scene_format
