#pragma once
// A convex shape as the hull of few points, rounded by a radius: a sphere is a point, a capsule a segment, a box and a
// hull have radius 0. What touches what is then decided by vertices, edges and faces, for all of them alike.

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <locdyn/contact/shape.hpp>

namespace locdyn::detection {

/// Which vertices, edges and faces of a polytope meet: the same for all spheres, capsules and boxes, whatever their
/// sizes.
struct Topology {
  struct Edge {
    std::array<int, 2> vertex;
    std::array<int, 2> face;  // left and right of it; −1 where the polytope has no volume
  };

  std::vector<int> loops = {},
                   loop_start = {};  // vertices of face f, anticlockwise: loops[loop_start[f] … loop_start[f + 1])
  std::vector<Edge> edges = {};
  std::vector<int> faces_at = {}, faces_at_start = {};  // of each vertex, in the same layout
  std::vector<int> edges_at = {}, edges_at_start = {};

  [[nodiscard]] int face_count() const noexcept { return static_cast<int>(loop_start.size()) - 1; }
  [[nodiscard]] std::span<const int> loop(int f) const { return cut(loops, loop_start, f); }
  [[nodiscard]] std::span<const int> faces_of(int v) const { return cut(faces_at, faces_at_start, v); }
  [[nodiscard]] std::span<const int> edges_of(int v) const { return cut(edges_at, edges_at_start, v); }

 private:
  static std::span<const int> cut(const std::vector<int>& all, const std::vector<int>& start, int k) {
    return {all.data() + start[k], static_cast<std::size_t>(start[k + 1] - start[k])};
  }
};

struct Polytope {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  // in the coordinates of the shape; all else is about it
  std::vector<Eigen::Vector3d> vertices;
  std::vector<Eigen::Vector3d> normals;  // of the faces, outward
  std::vector<double> offsets;           // face f lies in normal·x = offset
  std::shared_ptr<const Topology> topology;
  int axes = 0;  // of the normals, those that a contact may have: all, but of a triangle its own alone
  double radius = 0;
  std::optional<Eigen::Vector3d> half_extents;  // of a box: faces 2k and 2k + 1 look against axis k and along it
  double size = 0;                              // largest distance of a point of the shape from the center

  [[nodiscard]] bool has_volume() const noexcept { return axes > 1; }
  [[nodiscard]] std::span<const int> loop(int f) const { return topology->loop(f); }
  [[nodiscard]] std::span<const int> faces_of(int v) const { return topology->faces_of(v); }
  [[nodiscard]] std::span<const int> edges_of(int v) const { return topology->edges_of(v); }
  [[nodiscard]] const std::vector<Topology::Edge>& edges() const { return topology->edges; }
};

/// Triangles of a hull that lie in one plane to 1e-9 of its size are one face.
[[nodiscard]] Polytope polytope_of(const Sphere& sphere);
[[nodiscard]] Polytope polytope_of(const Capsule& capsule);
[[nodiscard]] Polytope polytope_of(const Box& box);
[[nodiscard]] Polytope polytope_of(const ConvexHull& hull);

/// One triangle, about its first corner; its normals are its own and those of its sides, in its plane.
[[nodiscard]] Polytope polytope_of_triangle(const std::array<Eigen::Vector3d, 3>& corners);

/// Which normals a triangle may show, as its neighbours decide.
class NormalCone {
 public:
  virtual ~NormalCone() = default;
  /// `corners`: bits of the corners that are farthest along n (in space).
  [[nodiscard]] virtual bool allows(int corners, const Eigen::Vector3d& n) const = 0;
};

/// A polytope where it lies in space: vertices and normals along the axes of space, about its center.
struct PosedPolytope {
  const Polytope* shape = nullptr;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  std::vector<Eigen::Vector3d> vertices, normals;
  Eigen::Vector3d low, high;         // of the vertices
  const NormalCone* cone = nullptr;  // of a triangle in a surface

  /// Of a box: its axis k in space, outward normal of its face 2k + 1.
  [[nodiscard]] const Eigen::Vector3d& axis(int k) const { return normals[static_cast<std::size_t>(2 * k + 1)]; }

  /// May it show n, outward, at its support there?
  [[nodiscard]] bool allows(const Eigen::Vector3d& n) const;

  /// rotation and translation take the coordinates of the shape to space.
  void place(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& translation);

 private:
  void place_box(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& translation);
};

}  // namespace locdyn::detection
