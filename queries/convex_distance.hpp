#pragma once
// How far two convex cores are apart, or how deep they overlap, and where.
//
// Source: Gilbert, Johnson & Keerthi, IEEE J. Robotics Automation 4 (1988) 193–203 (GJK); van den Bergen,
// "Proximity Queries and Penetration Depth Computation on 3D Game Objects", GDC (2001) (EPA).

#include <Eigen/Core>

#include <locdyn/queries/convex_core.hpp>

namespace locdyn::detail {

/// Two bounded convex sets with what rounds them.
struct Gap {
  double distance;         ///< < 0: the least way that parts them [m]
  Eigen::Vector3d normal;  ///< from the first to the second: on_second = on_first + distance · normal
  Eigen::Vector3d on_first, on_second;
};

/// Exact to rounding for hulls of points. Where a cylinder's rim decides, distances are good to 1e-12 of the size,
/// normals and what follows from them to 1e-7; where a cylinder is parted as well along a whole circle of normals (two
/// of one axis), to 1e-5. Cost: some supports of each, in overlap some hundred.
[[nodiscard]] Gap gap_of(const PosedCore& first, const PosedCore& second);

/// When the first, moved by t u, comes to touch the second; `apart` is their gap then (0 at the start where they
/// overlap). Newton's method on the gap, which is convex in t: from its left it oversteps nothing. t is infinite where
/// they pass each other or meet beyond `most`. `u` is a unit vector.
/// Source: van den Bergen, "Ray Casting against General Convex Objects", 2004; Mirtich, PhD, Berkeley (1996) §2.3.
struct Meeting {
  double t;
  Gap apart;
};
[[nodiscard]] Meeting meeting_of(const PosedCore& first, const Eigen::Vector3d& u, double most,
                                 const PosedCore& second);

}  // namespace locdyn::detail
