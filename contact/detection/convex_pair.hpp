#pragma once
// Contact of two polytopes with radii, in closed form: the axis of least penetration, or the closest points, among
// faces, edges and vertices; then the manifold along it.
//
// The separation of convex sets along a unit n is s(n) = min_B n·x − max_A n·x; its largest value over all n is the
// distance where they are apart and minus the depth of penetration where they are not. For polytopes the largest is at
// a face normal, at the cross product of an edge of each or, apart only, at the line between an edge or vertex of each.
// Where the overlap of a face with the other shape shows that its normal has the largest s, nothing else is looked at.
//
// Source: Gottschalk, Lin & Manocha, SIGGRAPH 1996 (separating axes); Gregorius, GDC 2013 (edges on the Gauss map).

#include <vector>

#include "polytope.hpp"

namespace locdyn::detection {

struct PairPoint {
  Eigen::Vector3d point;   ///< halfway between the surfaces, about the center of the first shape
  Eigen::Vector3d normal;  ///< from the first to the second
  double gap;
};

/// Appends every point with gap ≤ reach. Exact to rounding, in an order that the shapes decide.
void collide(const PosedPolytope& first, const PosedPolytope& second, double reach, std::vector<PairPoint>& points);

}  // namespace locdyn::detection
