#pragma once
// A sphere against a sphere or a box: the nearest point is known coordinate by coordinate.

#include <vector>

#include "convex_pair.hpp"

namespace locdyn::detection {

/// Two spheres, along the line of their centres.
void collide_spheres(const PosedPolytope& first, const PosedPolytope& second, double reach,
                     std::vector<PairPoint>& points);

/// A sphere and a box, the sphere `first` or second. Over a face, and where the centre lies inside the box, along the
/// normal of the face that it is farthest above or least below; else along the line from the nearest edge or corner.
void collide_sphere_and_box(const PosedPolytope& sphere, const PosedPolytope& box, bool sphere_first, double reach,
                            std::vector<PairPoint>& points);

}  // namespace locdyn::detection
