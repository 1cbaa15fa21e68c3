#pragma once
// The points of a contact whose normal n is known. Each shape gives its feature in that direction, a face, an edge or a
// vertex; where the two overlap, seen along n, corner by corner of the overlap, there are the points, and the gap at
// each is the distance between the features along n. Nothing is remembered from call to call.

#include <Eigen/Core>
#include <vector>

#include "polytope.hpp"

namespace locdyn::detection {

/// A face (3 points or more, in order around it), an edge (2) or a vertex (1), about a common origin.
struct Feature {
  std::vector<Eigen::Vector3d> points;
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< of a face, outward
};

/// How far a feature may lean away from the normal and still count as facing it.
struct Lean {
  double face;  ///< least cosine between the face's normal and the direction
  double edge;  ///< largest cosine between the edge and the direction
};
inline constexpr Lean kOnFace{0.3, 0.95};  ///< where the other shape shows a face whose normal is the direction
inline constexpr Lean kOnEdge{0.995, 0.1};

/// The feature of a polytope that holds its support vertex in `direction`, moved by `shift`.
void find_feature(const PosedPolytope& shape, const Eigen::Vector3d& shift, const Eigen::Vector3d& direction,
                  const Lean& lean, Feature& feature);

/// A point of the overlap: where it lies on the first shape, and the gap there along n, both without radii.
struct OverlapPoint {
  Eigen::Vector3d on_first;
  double gap;
};

/// The corners of the overlap of two features seen along n, in an order that the features decide; those that lie within
/// `merge` of one another are one. Two edges that are parallel to `parallel` [rad] overlap at both ends; of two that
/// cross, and of anything with a vertex but a face, the closest points. Empty where the features do not overlap.
void find_overlap(const Feature& first, const Feature& second, const Eigen::Vector3d& n, double merge, double parallel,
                  std::vector<OverlapPoint>& points);

/// Leaves out corners that matter little to the polygon's area, until 4 are left or each holds more than 2 % of it, 8
/// at most; the deepest stays where it is deeper by more than `tolerance` than those that are left.
void thin_out(const Eigen::Vector3d& n, double tolerance, std::vector<OverlapPoint>& points);

/// Closest points of two segments, those of one point included.
struct SegmentPair {
  Eigen::Vector3d first, second;
};
[[nodiscard]] SegmentPair closest_on_segments(const Eigen::Vector3d& a0, const Eigen::Vector3d& a1,
                                              const Eigen::Vector3d& b0, const Eigen::Vector3d& b1);

}  // namespace locdyn::detection
