#pragma once
// How far two polytopes are apart along the directions that decide it: the normals of their faces, and normals to an
// edge of each. `shift` is where the center of the second lies, seen from that of the first.
//
// Two boxes need no list of vertices: along n the half of a box reaches Σ half_k |n·axis_k|, and the nine products of
// an axis of each give all that is asked. Source: Gottschalk, Lin & Manocha, SIGGRAPH 1996, section 5.

#include <Eigen/Core>
#include <limits>

#include "polytope.hpp"

namespace locdyn::detection {

inline constexpr double kNoAxis = -std::numeric_limits<double>::infinity();

/// A face whose outward normal parts the shapes by `separation`: < 0 where they overlap along it.
struct FaceAxis {
  int face = -1;
  double separation = kNoAxis;
};

/// A direction, from the first shape to the second, across edge `a` of the first and edge `b` of the second.
struct EdgeAxis {
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  double separation = kNoAxis;
  int a = -1, b = -1;
};

/// The face of `a` that the whole of `b` is farthest above, or least below; the first that is above `limit` will do.
[[nodiscard]] FaceAxis best_face(const PosedPolytope& a, const PosedPolytope& b, const Eigen::Vector3d& shift,
                                 double limit);

[[nodiscard]] double separation_along(const PosedPolytope& a, const PosedPolytope& b, const Eigen::Vector3d& shift,
                                      const Eigen::Vector3d& n);

/// The same of two boxes, and the best of the nine directions across an edge of each.
class BoxAxes {
 public:
  BoxAxes(const PosedPolytope& a, const PosedPolytope& b, const Eigen::Vector3d& shift);
  [[nodiscard]] FaceAxis best_face_of_first() const;
  [[nodiscard]] FaceAxis best_face_of_second() const;
  /// None where all of them part the boxes by less than `floor`.
  [[nodiscard]] EdgeAxis best_edges(double floor) const;

 private:
  const PosedPolytope &a_, &b_;
  Eigen::Vector3d shift_;
  const Eigen::Vector3d &half_a_, &half_b_;
  Eigen::Matrix<double, 3, 4, Eigen::RowMajor> cosines_;  // (i, j): axis i of the first on axis j of the second; then 0
  Eigen::Vector3d along_a_, along_b_;
};

}  // namespace locdyn::detection
