#pragma once
// A height field as the triangles that `HeightField` says it is made of: one surface for detection and for pictures.

#include <locdyn/contact/shape.hpp>

namespace locdyn::detail {

/// The vertices row by row, two triangles a cell, seen from above anticlockwise. `field` is valid. Cost: linear.
[[nodiscard]] TriangleMesh mesh_of(const HeightField& field);

}  // namespace locdyn::detail
