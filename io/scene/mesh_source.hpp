#pragma once
// Shapes as detection takes them, mesh files read.

#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// Throws std::invalid_argument where a mesh file cannot be read or the shape is not valid (a degenerate hull, say),
/// FileError where this build reads no mesh files.
[[nodiscard]] Shape make_shape(const SceneGeometry& geometry);

}  // namespace locdyn::scene_format
