#pragma once
// A ray and a surface of triangles. Edges belong to both their triangles, by numbers that both compute alike: no ray
// slips through.
//
// Source: Woop, Benthin & Wald, JCGT 2 (2013) 65–82.

#include <optional>

#include <locdyn/contact/shape.hpp>
#include <locdyn/queries/bounds_tree.hpp>
#include <locdyn/queries/ray_shape.hpp>

namespace locdyn::detail {

class RaySurface {
 public:
  /// Valid triangles. Cost: O(n log n).
  explicit RaySurface(TriangleMesh mesh);

  /// The first triangle that the ray meets, from either side; the normal is on the ray's side. Cost: O(log n) as a
  /// rule.
  [[nodiscard]] std::optional<ShapeHit> enter(const LocalRay& ray) const;
  /// Of all triangles.
  [[nodiscard]] const Bounds& bounds() const noexcept { return bounds_; }

 private:
  TriangleMesh mesh_;
  BoundsTree tree_;
  Bounds bounds_{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
};

}  // namespace locdyn::detail
