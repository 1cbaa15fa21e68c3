#pragma once
// What lies on a plane: the feature of a shape that faces it, point by point.

#include <vector>

#include "convex_pair.hpp"
#include "polytope.hpp"

namespace locdyn::detection {

/// The half-space below a plane.
struct HalfSpace {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
};

/// Appends every point of the facing feature with gap ≤ reach; `point` is about the center of the shape, `normal` from
/// the plane to it.
void collide(const HalfSpace& plane, const PosedPolytope& shape, double reach, std::vector<PairPoint>& points);

}  // namespace locdyn::detection
