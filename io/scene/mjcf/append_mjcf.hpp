#pragma once
// Robots described in MJCF, the format of MuJoCo, as bodies, joints, surfaces and groups of a scene.

#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// Appends bodies "robot/body", joints "robot/joint" and what the model says of friction and of who touches whom.
/// What the reader does not take is refused, all of it at once, or with `leave_out` listed in `scene.left_out`. Throws
/// SceneError, FileError for a model that contradicts itself, and where this build is without tinyxml2.
void append_mjcf(const SceneRobot& robot, Scene& scene);

}  // namespace locdyn::scene_format
