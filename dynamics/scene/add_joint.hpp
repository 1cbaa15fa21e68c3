#pragma once
// Joints of a scene as constraints of a System.

#include <locdyn/dynamics/scene/scene.hpp>
#include <locdyn/dynamics/system.hpp>

namespace locdyn::scene_format {

/// Adds what the joint is made of, at the bodies' place now: the first body is the slave, the second, or space, the
/// master. A hinge is a point held and, at a second point of the axis, two rigid links across it; a weld is a point
/// held and three rigid links: as many rows as freedoms are taken, so that W stays regular. `size` [m] > 0 is how far
/// apart these points lie. Throws std::invalid_argument as the constraints do, and for a body that is not in the
/// system.
void add_joint(const SceneJoint& joint, System& system, double size);

}  // namespace locdyn::scene_format
