#pragma once
// The applied forces of a scene: functions of the state, taken half-way through each step. Each has a file of its own;
// a new one is a file, its #include and its place in the variant, whose order is that of the schema.

#include <string>
#include <variant>
#include <vector>

#include <locdyn/io/scene/forces/rotating_frame.hpp>
#include <locdyn/io/scene/forces/spring_force.hpp>
#include <locdyn/io/scene/forces/torsion_spring.hpp>
#include <locdyn/io/scene/forces/weight.hpp>
#include <locdyn/io/scene/forces/wheel_contact.hpp>

namespace locdyn {

/// Points and axes are in space, where the bodies lie at start.
struct SceneForce {
  std::string name;
  std::variant<SceneSpringForce, SceneTorsionSpring, SceneWeight, SceneWheelContact, SceneRotatingFrame> type;
  std::vector<std::string> bodies;
  std::string place;  ///< in the file, for messages: "forces[2]"
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneForce& f) {
  v.optional("name", f.name, "unique among forces");
  v.alternative("type", f.type, "kind of force");
  v.optional("bodies", f.bodies,
             "spring_damper, torsion_spring, wheel_contact: one, against space, or two, the first against the second; "
             "weight: one; rotating_frame: those that are told in the frame, all where absent",
             Count{1});
}

[[nodiscard]] inline ForceBodies bodies_of(const SceneForce& force) {
  return std::visit([](const auto& f) { return f.kBodies; }, force.type);
}

}  // namespace locdyn::scene_format
