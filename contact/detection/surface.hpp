#pragma once
// A surface of triangles, from a mesh or a height field, free above. Each triangle that a shape comes near is one
// polytope without thickness; what its neighbours cover decides which normals it may show: those of its face, and at
// an edge or a vertex those that no neighbour rises above. A body that slides over an edge inside a flat stretch meets
// the face normal there and nothing else.

#include <array>
#include <memory>
#include <vector>

#include "broad_phase.hpp"
#include "convex_pair.hpp"
#include "cylinder.hpp"
#include "polytope.hpp"

namespace locdyn::detection {

class Surface {
 public:
  explicit Surface(const TriangleMesh& mesh);
  explicit Surface(const HeightField& field);
  ~Surface();

  [[nodiscard]] const Bounds& bounds() const noexcept { return bounds_; }
  [[nodiscard]] std::size_t size() const noexcept { return triangles_.size(); }
  /// Triangles whose boxes overlap these bounds, sorted.
  void find(const Bounds& bounds, std::vector<int>& triangles) const;
  [[nodiscard]] const std::array<int, 3>& triangle(int t) const { return triangles_[t]; }
  [[nodiscard]] const Eigen::Vector3d& vertex(int v) const { return vertices_[v]; }

  /// May triangle t show the normal n at those of its corners that `corners` (bits) names?
  [[nodiscard]] bool allows(int t, int corners, const Eigen::Vector3d& n) const;

 private:
  void connect();

  std::vector<Eigen::Vector3d> vertices_;
  std::vector<std::array<int, 3>> triangles_;
  std::vector<std::array<int, 3>> opposite_;  // the vertex across the edge from corner k to k + 1, or −1
  std::vector<int> ring_, ring_start_;        // vertices that share an edge with each
  Bounds bounds_{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

struct PosedSurface {
  const Surface* surface = nullptr;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
};

/// Appends every point with gap ≤ reach, about the center of the surface, in order of triangles; of points in one plane
/// those that span them.
void collide(const PosedSurface& surface, const PosedPolytope& shape, double reach, std::vector<PairPoint>& points);
void collide(const PosedSurface& surface, const PosedCylinder& shape, double reach, std::vector<PairPoint>& points);

}  // namespace locdyn::detection
