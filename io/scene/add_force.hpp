#pragma once
// Applied forces of a scene as those of a System.

#include <locdyn/io/scene/forces.hpp>
#include <locdyn/io/scene/scene.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::scene_format {

/// Adds the force at the bodies' place now, the system's gravity for a weight. Throws std::invalid_argument as the
/// forces do, and for a body that is not in the system.
void add_force(const SceneForce& force, System& system);

}  // namespace locdyn::scene_format
