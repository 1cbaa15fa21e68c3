#pragma once
// A polygon of a mesh file as triangles: ears are clipped, the shortest cut first (Meisters, Amer. Math. Monthly 82,
// 1975: every simple polygon has two ears).

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

namespace locdyn::detection {

/// n − 2 triangles, as indices of corners (0 to n − 1), that cover the polygon once and wind as it does; corners [m] in
/// order, at least 3, in a plane or nearly (its normal is Newell's). A convex quadrilateral is cut along its shorter
/// diagonal. What crosses itself or has no area is cut too, somehow. Cost: about n² for n corners, n³ at worst.
[[nodiscard]] std::vector<std::array<int, 3>> split_polygon(std::span<const Eigen::Vector3d> corners);

}  // namespace locdyn::detection
