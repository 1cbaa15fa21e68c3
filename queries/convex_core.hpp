#pragma once
// A convex shape for distances: a hull of points or a cylinder, rounded by a radius. A sphere is a point, a capsule a
// segment.

#include <Eigen/Core>
#include <array>
#include <vector>

#include <locdyn/contact/shape.hpp>
#include <locdyn/queries/bounds_tree.hpp>

namespace locdyn::detail {

/// In coordinates of the shape.
struct ConvexCore {
  std::vector<Eigen::Vector3d> points;  ///< of the hull; none of a cylinder
  double cylinder_radius = 0, half_height = 0;
  double radius = 0;  ///< by which it is rounded
};

/// Of a valid shape that is convex and bounded, or one triangle.
[[nodiscard]] ConvexCore core_of(const Sphere& sphere);
[[nodiscard]] ConvexCore core_of(const Box& box);
[[nodiscard]] ConvexCore core_of(const Capsule& capsule);
[[nodiscard]] ConvexCore core_of(const Cylinder& cylinder);
[[nodiscard]] ConvexCore core_of(const ConvexHull& hull);

/// A core where it lies in space: x = Q X + middle. Of a body that deforms Q is no rotation; then its rounding deforms
/// with it and belongs to what `support` finds.
class PosedCore {
 public:
  /// `core` outlives it.
  PosedCore(const ConvexCore& core, const Eigen::Matrix3d& Q, const Eigen::Vector3d& middle);

  /// A point of the core that is farthest along n, of any length but 0. Cost: linear in the points.
  [[nodiscard]] Eigen::Vector3d support(const Eigen::Vector3d& n) const;
  /// By which what `support` finds is rounded.
  [[nodiscard]] double radius() const noexcept { return radius_; }
  [[nodiscard]] const Eigen::Vector3d& middle() const noexcept { return middle_; }
  /// Of core and rounding.
  [[nodiscard]] Bounds bounds() const;
  /// The farthest that a point of it may be from `middle`, at least.
  [[nodiscard]] double size() const noexcept { return size_; }
  void move_to(const Eigen::Vector3d& middle) { middle_ = middle; }

 private:
  const ConvexCore* core_;
  Eigen::Matrix3d Q_;
  Eigen::Vector3d middle_;
  double radius_ = 0, inner_radius_ = 0, size_ = 0;
};

}  // namespace locdyn::detail
