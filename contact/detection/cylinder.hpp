#pragma once
// Contact of a cylinder. Its normal is looked for among the directions that have a closed form: faces and caps, edges
// and axes across the barrel, vertices to their nearest point; and what Bullet's GJK and EPA find, for a rim on an edge
// or on another rim, where there is none. The one of largest separation is taken: that of a closed form at once where
// points of both shapes prove that there is no larger one, as for half of the pairs within reach in piles of logs and
// drums.

#include <cmath>
#include <vector>

#include "convex_pair.hpp"
#include "half_space.hpp"
#include "polytope.hpp"

namespace locdyn::detection {

struct PosedCylinder {
  double radius = 0, half_height = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();  // the axis is its third column

  [[nodiscard]] double size() const { return std::hypot(radius, half_height); }
};

/// Each as for polytopes. A standing cylinder touches at eight points of its rim that turn with it; where it is tilted
/// by more than 1e-6, at its lowest point, too. A lying one touches at both ends of its barrel.
void collide(const PosedCylinder& first, const PosedPolytope& second, double reach, std::vector<PairPoint>& points);
void collide(const PosedCylinder& first, const PosedCylinder& second, double reach, std::vector<PairPoint>& points);
void collide(const HalfSpace& plane, const PosedCylinder& shape, double reach, std::vector<PairPoint>& points);

}  // namespace locdyn::detection
