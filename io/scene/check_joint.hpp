#pragma once
// What a joint of a scene must obey by itself, beyond the types of its values.

#include <locdyn/io/scene/joints.hpp>

namespace locdyn::scene_format {

/// Notes directions of length zero, points that coincide, axes that are parallel, drives that do not start at zero.
void check_joint(const SceneJoint& joint, FaultList& list);

}  // namespace locdyn::scene_format
