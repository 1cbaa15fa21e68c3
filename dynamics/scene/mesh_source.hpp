#pragma once
// Shapes as detection takes them, mesh files read.

#include <locdyn/dynamics/scene/scene.hpp>

namespace locdyn::scene_format {

/// Throws FileError where a mesh file cannot be read, std::invalid_argument where the shape is not valid (a degenerate
/// hull, say).
[[nodiscard]] Shape make_shape(const SceneGeometry& geometry);

}  // namespace locdyn::scene_format
