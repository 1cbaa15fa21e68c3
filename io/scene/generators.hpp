#pragma once
// Many bodies from a few numbers: walls, towers, arches, piles, rows.

#include <vector>

#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// The bodies that the generator stands for, named "name[0]", "name[1]", …, in space. The same numbers on every
/// machine, random ones included.
[[nodiscard]] std::vector<SceneBody> generate(const SceneGenerator& generator);

}  // namespace locdyn::scene_format
