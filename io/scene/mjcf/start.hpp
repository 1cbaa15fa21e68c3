#pragma once
// Where a model starts: its reference, a keyframe, and joints that are told to start elsewhere.

#include <vector>

#include <locdyn/io/scene/mjcf/model.hpp>

namespace locdyn::scene_format::mjcf {

struct Start {
  std::vector<double> coordinates, velocities;  // qpos (nq), qvel (nv)
  std::vector<double> controls;                 // one for each actuator
};

/// Throws FileError for a keyframe that is not there, a joint that is not there or has not one coordinate, and controls
/// of another number than there are actuators.
[[nodiscard]] Start start_of(const Model& model, const SceneRobot& robot);

}  // namespace locdyn::scene_format::mjcf
