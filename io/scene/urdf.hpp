#pragma once
// Robots described in URDF, as bodies and joints of a scene. Source of the format: wiki.ros.org/urdf/XML.

#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// Appends the links as rigid bodies "robot/link", the root as an obstacle or, without a fixed base, a rigid body like
/// the others; the joints fixed, revolute and continuous as welds and hinges "robot/joint", with neighbours excluded
/// from contact. Throws FileError for a file that urdfdom refuses, a link that moves without inertia, a joint of
/// another type (naming it), and where this build is without urdfdom.
void append_robot(const SceneRobot& robot, Scene& scene);

}  // namespace locdyn::scene_format
