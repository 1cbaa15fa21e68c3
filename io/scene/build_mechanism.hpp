#pragma once
// From a scene with "smooth" or "kinematics" to a System whose bodies meet nothing, and to the drive of a path.

#include <memory>
#include <optional>
#include <utility>

#include <locdyn/io/scene/scene.hpp>
#include <locdyn/ldy/assembly/quantities/coordinate.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn {

/// As `build` (build_scene.hpp), but shapes weigh and are drawn alone: nothing is detected, and bodies may overlap.
/// Obstacles have the velocities of the scene's motions, which are constant. Throws SceneError, and
/// std::invalid_argument for a scene that is no mechanism.
[[nodiscard]] std::unique_ptr<System> build_mechanism(const Scene& scene);

/// Two bodies that `build` would let touch and `build_mechanism` does not: their groups meet, one of them moves, and
/// neither a joint nor `excluded_pairs` names both. None where there are none. Cost: quadratic in shapes.
[[nodiscard]] std::optional<std::pair<BodyId, BodyId>> ignored_contact(const System& system);

/// The coordinate that `kinematics` drives, of a system built from the scene, its bodies where they are at start.
/// `scene` has no robots any more (`expanded`). Throws SceneError for a joint that is not there or cannot be driven,
/// and for points of one body alone.
[[nodiscard]] Coordinate driven_coordinate(const Scene& scene, const System& system);

}  // namespace locdyn
