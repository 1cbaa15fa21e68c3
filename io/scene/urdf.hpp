#pragma once
// Robots described in URDF, as bodies and joints of a scene. Source of the format: wiki.ros.org/urdf/XML.

#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// Appends the links as rigid bodies "robot/link", the root as an obstacle or, without a fixed base, a rigid body like
/// the others; the joints fixed, revolute, continuous, prismatic and planar as joints "robot/joint", with their limits
/// and dampers, neighbours excluded from contact; what one joint mimics of another as a coupling "robot/joint.mimic".
/// Throws FileError for a file that urdfdom refuses, a link that moves without inertia, a joint that contradicts
/// itself, and where this build is without urdfdom; SceneError naming what is not taken, unless `leave_out`, which
/// lists it in `scene.left_out`.
void append_robot(const SceneRobot& robot, Scene& scene);

}  // namespace locdyn::scene_format
