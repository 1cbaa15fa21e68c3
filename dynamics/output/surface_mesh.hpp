#pragma once
// Triangles that show a shape: pictures, not collision geometry.

#include <Eigen/Core>
#include <array>
#include <vector>

#include <locdyn/contact/shape.hpp>

namespace locdyn {

/// In the coordinates of the shape; triangles anticlockwise seen from outside, closed for solids.
struct SurfaceMesh {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<int, 3>> triangles;
};

/// How finely round shapes are drawn: an octahedron whose edges are halved `halvings` times is a sphere of
/// 4^(halvings + 1) + 2 points; circles have 4·2^halvings segments.
struct Fineness {
  int halvings = 2;  ///< 0 … 5
};

/// Points of round shapes lie on them. A plane is the square of edge `extent` [m] about `centre` (x, y). Throws
/// std::invalid_argument where the shape is not valid, an extent is needed and not > 0, or the fineness is out of range.
/// Cost: linear in what comes out, but for a hull: points times faces.
[[nodiscard]] SurfaceMesh triangulate(const Shape& shape, const Fineness& fineness = {}, double extent = 0,
                                      const Eigen::Vector2d& centre = Eigen::Vector2d::Zero());

/// The hull's triangles, points inside dropped; points within 1e-9 of the largest extent of a face count as on it, so
/// that a hull may miss points by that much. Throws std::invalid_argument where there is no volume.
[[nodiscard]] SurfaceMesh convex_hull(const std::vector<Eigen::Vector3d>& points);

}  // namespace locdyn
