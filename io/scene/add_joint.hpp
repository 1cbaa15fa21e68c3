#pragma once
// Joints of a scene as constraints of a System.

#include <locdyn/io/scene/joints.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::scene_format {

/// The bodies that the joint names. Throws std::invalid_argument for a body that is not in the system.
[[nodiscard]] JointBodies bodies_of(const SceneJoint& joint, const System& system);

/// Adds the joint at the bodies' place now, and its limits and motor as constraints beside it ("name.lower",
/// "name.upper", "name.motor"): the first body is the slave, the second, or space, the master. Where one of them is
/// planar, hinge, prismatic, weld, point on line and rolling wheel are those of the plane. Throws std::invalid_argument
/// as the constraints do, and for a body that is not in the system.
void add_joint(const SceneJoint& joint, System& system, Springs springs);

}  // namespace locdyn::scene_format
