#pragma once
// Joints and forces of a System that is there, written as a scene writes them.

#include <string_view>
#include <vector>

#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn {

/// Adds what `json`, one object of a scene's "joints", describes, where the bodies that it names lie now. Returns the
/// constraints that it has become: the joint, then its limits and motor. Throws SceneError with all faults, each with
/// its place "joint.…", std::logic_error while a step runs; then nothing was added.
std::vector<ConstraintId> add_described_joint(System& system, std::string_view json);

/// The same of one object of a scene's "forces".
ForceId add_described_force(System& system, std::string_view json);

}  // namespace locdyn
