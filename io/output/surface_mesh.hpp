#pragma once
// Triangles that show a shape: pictures, not collision geometry.

#include <Eigen/Core>

#include <locdyn/contact/shape.hpp>

namespace locdyn::detail {

/// How finely round shapes are drawn: an octahedron whose edges are halved `halvings` times is a sphere of
/// 4^(halvings + 1) + 2 points; circles have 4·2^halvings segments.
struct Fineness {
  int halvings = 2;  ///< 0 … 5
};

/// In the coordinates of the shape, triangles anticlockwise seen from outside, closed for solids. Points of round
/// shapes lie on them. A plane is the square of edge `extent` [m] about `centre` (x, y). Throws
/// std::invalid_argument where the shape is not valid, an extent is needed and not > 0, or the fineness is out of
/// range. Cost: linear in what comes out, but for a hull: points times faces.
[[nodiscard]] TriangleMesh triangulate(const Shape& shape, const Fineness& fineness = {}, double extent = 0,
                                       const Eigen::Vector2d& centre = Eigen::Vector2d::Zero());

}  // namespace locdyn::detail
