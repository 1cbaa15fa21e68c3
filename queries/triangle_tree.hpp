#pragma once
// A surface of triangles in a tree of their boxes; and where a ray meets it. Edges belong to both their triangles, by
// numbers that both compute alike: no ray slips through.
//
// Source: Woop, Benthin & Wald, JCGT 2 (2013) 65–82.

#include <optional>

#include <locdyn/contact/shape.hpp>
#include <locdyn/queries/bounds_tree.hpp>
#include <locdyn/queries/ray_shape.hpp>

namespace locdyn::detail {

class TriangleTree {
 public:
  /// Valid triangles. Cost: O(n log n).
  explicit TriangleTree(TriangleMesh mesh);

  /// The first triangle that the ray meets, from either side; the normal is on the ray's side. Cost: O(log n) as a
  /// rule.
  [[nodiscard]] std::optional<ShapeHit> enter(const LocalRay& ray) const;
  /// Of all triangles.
  [[nodiscard]] const Bounds& bounds() const noexcept { return bounds_; }
  [[nodiscard]] const TriangleMesh& mesh() const noexcept { return mesh_; }
  /// Of the boxes of its triangles, in their order.
  [[nodiscard]] const BoundsTree& tree() const noexcept { return tree_; }

 private:
  TriangleMesh mesh_;
  BoundsTree tree_;
  Bounds bounds_{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
};

}  // namespace locdyn::detail
