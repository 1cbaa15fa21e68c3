#pragma once
// What an applied force of a scene must obey by itself, beyond the types of its values.

#include <locdyn/io/scene/forces.hpp>

namespace locdyn::scene_format {

/// Notes a wrong number of bodies, an axis of length zero, springs without effect, terrain out of order.
void check_force(const SceneForce& force, FaultList& list);

}  // namespace locdyn::scene_format
