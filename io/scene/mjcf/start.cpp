#include <locdyn/io/scene/mjcf/start.hpp>

#include <algorithm>

#include <locdyn/io/scene/mjcf/kinematics.hpp>
#include <locdyn/ldy/file_error.hpp>

namespace locdyn::scene_format::mjcf {
namespace {

const Joint& joint_named(const Model& model, const SceneRobot& robot, const std::string& name) {
  for (const Body& body : model.bodies) {
    for (const Joint& joint : body.joints) {
      if (joint.name == name && joint.coordinates() == 1) return joint;
    }
  }
  throw FileError(robot.mjcf, "positions", "the name of a hinge or a slide", '"' + name + '"');
}

// What the scene says of all coordinates or velocities.
void take(const SceneRobot& robot, const std::vector<double>& said, const char* key, std::vector<double>& numbers) {
  if (said.empty()) return;
  if (said.size() != numbers.size()) {
    throw FileError(robot.mjcf, key, std::to_string(numbers.size()) + " numbers", std::to_string(said.size()));
  }
  numbers = said;
}

}  // namespace

Start start_of(const Model& model, const SceneRobot& robot) {
  Start start{reference_coordinates(model), std::vector<double>(model.velocities, 0.0),
              std::vector<double>(model.actuators.size(), 0.0)};
  if (!robot.keyframe.empty()) {
    const auto key = std::find_if(model.keyframes.begin(), model.keyframes.end(),
                                  [&](const Keyframe& k) { return k.name == robot.keyframe; });
    if (key == model.keyframes.end()) {
      throw FileError(robot.mjcf, "keyframe", "the name of a keyframe", '"' + robot.keyframe + '"');
    }
    if (!key->coordinates.empty()) start.coordinates = key->coordinates;
    if (!key->velocities.empty()) start.velocities = key->velocities;
    if (!key->controls.empty() && key->controls.size() != model.actuators.size()) {
      key->node.fault("ctrl", std::to_string(model.actuators.size()) + " numbers, one for each actuator that is taken",
                      std::to_string(key->controls.size()));
    }
    if (!key->controls.empty()) start.controls = key->controls;
  }
  take(robot, robot.qpos, "qpos", start.coordinates);
  take(robot, robot.qvel, "qvel", start.velocities);
  for (const auto& [name, value] : robot.positions) {
    start.coordinates[joint_named(model, robot, name).coordinate] = value;
  }
  return start;
}

}  // namespace locdyn::scene_format::mjcf
