#pragma once
// What lies on a plane: the feature of a shape that faces it, point by point.

#include <vector>

#include "convex_pair.hpp"
#include "manifold.hpp"
#include "polytope.hpp"

namespace locdyn::detection {

/// The half-space below a plane.
struct HalfSpace {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
};

/// Appends every point of `feature`, which lies about `center` and is rounded by `radius`, with gap ≤ reach; `point` is
/// about the center, `normal` from the plane to the shape.
void rest_on_plane(const HalfSpace& plane, const Eigen::Vector3d& center, const Feature& feature, double radius,
                   double size, double reach, std::vector<PairPoint>& points);

/// Appends every point of the facing feature with gap ≤ reach.
void collide(const HalfSpace& plane, const PosedPolytope& shape, double reach, std::vector<PairPoint>& points);

}  // namespace locdyn::detection
