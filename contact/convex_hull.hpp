#pragma once
// The convex hull of points in space, as closed triangles.
//
// Source: Barber, Dobkin & Huhdanpaa, ACM TOMS 22 (1996) 469–483 (quickhull).

#include <Eigen/Core>
#include <span>

#include <locdyn/contact/shape.hpp>

namespace locdyn::detail {

/// The hull's corners, in the order of `points`, and its triangles, anticlockwise seen from outside. Points within
/// 1e-12 of the diagonal from the surface may be left out. Throws std::invalid_argument where a number is not finite,
/// there are fewer than four points, or they span less than 1e-12 of their diagonal cubed.
/// Cost: O(n log n) for n points in general position, O(n²) at worst.
[[nodiscard]] TriangleMesh convex_hull(std::span<const Eigen::Vector3d> points);

}  // namespace locdyn::detail
