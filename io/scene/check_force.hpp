#pragma once
// What an applied force of a scene must obey by itself, beyond the types of its values.

#include <locdyn/io/scene/read_values.hpp>
#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// How many bodies it names, and what they must be.
struct ForceBodies {
  std::size_t least, most;
  bool turn;  ///< no particles
};
[[nodiscard]] ForceBodies bodies_of(const SceneForce& force);

/// Notes a wrong number of bodies, an axis of length zero, springs without effect, terrain out of order.
void check_force(const SceneForce& force, ReadContext& context);

}  // namespace locdyn::scene_format
