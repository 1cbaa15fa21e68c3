#include "polytope.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <locdyn/contact/convex_hull.hpp>

namespace locdyn::detection {
using namespace locdyn::detail;
namespace {

using Eigen::Vector3d;

// Lists of what touches each vertex.
template <class VerticesOf>
void invert(std::size_t vertices, int count, VerticesOf&& vertices_of, std::vector<int>& at, std::vector<int>& start) {
  std::vector<std::vector<int>> lists(vertices);
  for (int item = 0; item < count; ++item) {
    for (int v : vertices_of(item)) lists[v].push_back(item);
  }
  start.assign(1, 0);
  for (const auto& list : lists) {
    at.insert(at.end(), list.begin(), list.end());
    start.push_back(static_cast<int>(at.size()));
  }
}

// Completed from the loops of so many vertices, and for a core without volume from its edges.
std::shared_ptr<const Topology> completed(Topology topology, std::size_t vertices) {
  std::map<std::pair<int, int>, int> left;
  for (int f = 0; f < topology.face_count(); ++f) {
    const auto loop = topology.loop(f);
    for (std::size_t k = 0; k < loop.size(); ++k) left[{loop[k], loop[(k + 1) % loop.size()]}] = f;
  }
  for (const auto& [ends, f] : left) {
    const auto other = left.find({ends.second, ends.first});
    if (ends.first < ends.second && other != left.end()) {
      topology.edges.push_back({{ends.first, ends.second}, {f, other->second}});
    }
  }
  invert(
      vertices, topology.face_count(), [&](int f) { return topology.loop(f); }, topology.faces_at,
      topology.faces_at_start);
  invert(
      vertices, static_cast<int>(topology.edges.size()), [&](int e) { return topology.edges[e].vertex; },
      topology.edges_at, topology.edges_at_start);
  return std::make_shared<const Topology>(std::move(topology));
}

// Fills in all that follows from vertices, topology and radius.
void complete(Polytope& core) {
  for (int f = 0; f < core.topology->face_count(); ++f) {
    const auto loop = core.loop(f);
    Vector3d normal = Vector3d::Zero(), mean = Vector3d::Zero();
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const int from = loop[k], to = loop[(k + 1) % loop.size()];
      normal += (core.vertices[from] - core.vertices[loop[0]]).cross(core.vertices[to] - core.vertices[loop[0]]);
      mean += core.vertices[from] / static_cast<double>(loop.size());
    }
    core.normals.push_back(normal.stableNormalized());  // squares of a box of 1e100 m overflow
    core.offsets.push_back(core.normals.back().dot(mean));
  }
  core.axes = core.topology->face_count();
  for (const Vector3d& vertex : core.vertices) core.size = std::max(core.size, vertex.norm() + core.radius);
}

// The faces of a closed triangulated convex surface: triangles joined while they stay in one plane.
class FaceMerger {
 public:
  FaceMerger(const TriangleMesh& surface, double tolerance) : surface_(surface), tolerance_(tolerance) {
    const int count = static_cast<int>(surface.triangles.size());
    for (int t = 0; t < count; ++t) {
      for (int k = 0; k < 3; ++k) owner_[{corner(t, k), corner(t, k + 1)}] = t;
    }
    face_of_.assign(count, -1);
    // Largest triangles first: theirs is the best plane.
    std::vector<int> order(count);
    for (int t = 0; t < count; ++t) order[t] = t;
    std::stable_sort(order.begin(), order.end(), [&](int s, int t) { return area(s).norm() > area(t).norm(); });
    for (int t : order) {
      if (face_of_[t] < 0) grow(t);
    }
  }

  // Their loops.
  [[nodiscard]] Topology faces() const {
    Topology topology;
    topology.loop_start.assign(1, 0);
    for (int f = 0; f < faces_; ++f) {
      const std::vector<int> loop = boundary(f);
      if (loop.size() < 3) continue;
      topology.loops.insert(topology.loops.end(), loop.begin(), loop.end());
      topology.loop_start.push_back(static_cast<int>(topology.loops.size()));
    }
    return topology;
  }

 private:
  [[nodiscard]] int corner(int t, int k) const { return surface_.triangles[t][k % 3]; }
  [[nodiscard]] const Vector3d& at(int v) const { return surface_.vertices[v]; }
  [[nodiscard]] Vector3d area(int t) const {
    return (at(corner(t, 1)) - at(corner(t, 0))).cross(at(corner(t, 2)) - at(corner(t, 0)));
  }

  void grow(int seed) {
    const int face = faces_++;
    const Vector3d normal = area(seed).normalized();
    const Vector3d origin = at(corner(seed, 0));
    std::vector<int> queue{seed};
    face_of_[seed] = face;
    for (std::size_t q = 0; q < queue.size(); ++q) {
      for (int k = 0; k < 3; ++k) {
        const int next = owner_.at({corner(queue[q], k + 1), corner(queue[q], k)});
        if (face_of_[next] >= 0) continue;
        bool flat = true;
        for (int c = 0; c < 3; ++c) flat = flat && std::abs(normal.dot(at(corner(next, c)) - origin)) <= tolerance_;
        if (!flat) continue;
        face_of_[next] = face;
        queue.push_back(next);
      }
    }
  }

  // The rim of face f from its lowest vertex on.
  [[nodiscard]] std::vector<int> boundary(int f) const {
    std::map<int, int> next;
    for (const auto& [ends, t] : owner_) {
      if (face_of_[t] == f && face_of_[owner_.at({ends.second, ends.first})] != f) next[ends.first] = ends.second;
    }
    std::vector<int> loop;
    if (next.empty()) return loop;
    for (int v = next.begin()->first; loop.size() < next.size();) {
      loop.push_back(v);
      v = next.at(v);
      if (v == loop.front()) break;
    }
    return loop;
  }

  const TriangleMesh& surface_;
  double tolerance_;
  std::map<std::pair<int, int>, int> owner_;  // of each directed edge
  std::vector<int> face_of_;
  int faces_ = 0;
};

// Vertices inside a face belong to no loop.
void drop_unused(std::vector<Vector3d>& vertices, Topology& topology) {
  std::vector<int> place(vertices.size(), -1);
  for (int v : topology.loops) place[v] = 0;
  std::vector<Vector3d> kept;
  for (std::size_t v = 0; v < place.size(); ++v) {
    if (place[v] < 0) continue;
    place[v] = static_cast<int>(kept.size());
    kept.push_back(vertices[v]);
  }
  for (int& v : topology.loops) v = place[v];
  vertices = std::move(kept);
}

}  // namespace

Polytope polytope_of(const Sphere& sphere) {
  static const auto point = completed({.loop_start = {0}, .edges = {{{0, 0}, {-1, -1}}}}, 1);
  Polytope core;
  core.vertices = {Vector3d::Zero()};
  core.topology = point;
  core.radius = sphere.radius;
  complete(core);
  return core;
}

Polytope polytope_of(const Capsule& capsule) {
  static const auto segment = completed({.loop_start = {0}, .edges = {{{0, 1}, {-1, -1}}}}, 2);
  Polytope core;
  core.vertices = {{0, 0, -0.5 * capsule.length}, {0, 0, 0.5 * capsule.length}};
  core.topology = segment;
  core.radius = capsule.radius;
  complete(core);
  return core;
}

Polytope polytope_of(const Box& box) {
  static const auto hexahedron =
      completed({.loops = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6},
                 .loop_start = {0, 4, 8, 12, 16, 20, 24}},
                8);
  Polytope core;
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3d sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    core.vertices.emplace_back(0.5 * box.size.cwiseProduct(sign));
  }
  core.topology = hexahedron;
  core.half_extents = 0.5 * box.size;
  complete(core);
  return core;
}

Polytope polytope_of(const ConvexHull& hull) {
  TriangleMesh surface = convex_hull(hull.points);
  Polytope core;
  for (const Vector3d& vertex : surface.vertices) {
    core.center += vertex / static_cast<double>(surface.vertices.size());
  }
  for (const Vector3d& vertex : surface.vertices) core.vertices.emplace_back(vertex - core.center);
  double size = 0;
  for (const Vector3d& vertex : core.vertices) size = std::max(size, vertex.norm());
  Topology faces = FaceMerger(surface, 1e-9 * size).faces();
  drop_unused(core.vertices, faces);
  core.topology = completed(std::move(faces), core.vertices.size());
  complete(core);
  return core;
}

Polytope polytope_of_triangle(const std::array<Vector3d, 3>& corners) {
  static const auto triangle = completed(
      {.loops = {0, 1, 2}, .loop_start = {0, 3}, .edges = {{{0, 1}, {-1, -1}}, {{1, 2}, {-1, -1}}, {{2, 0}, {-1, -1}}}},
      3);
  Polytope core;
  core.center = corners[0];
  for (const Vector3d& corner : corners) core.vertices.emplace_back(corner - corners[0]);
  core.topology = triangle;
  complete(core);
  for (int k = 0; k < 3; ++k) {
    const Vector3d along = core.vertices[(k + 1) % 3] - core.vertices[k];
    core.normals.emplace_back(along.cross(core.normals[0]).normalized());
    core.offsets.push_back(core.normals.back().dot(core.vertices[k]));
  }
  return core;
}

bool PosedPolytope::allows(const Vector3d& n) const {
  if (cone == nullptr) return true;
  if (n.dot(normals[0]) < 0) return false;
  double most = n.dot(vertices[0]);
  for (const Vector3d& vertex : vertices) most = std::max(most, n.dot(vertex));
  int corners = 0;
  for (int k = 0; k < 3; ++k) {
    if (n.dot(vertices[k]) >= most - 1e-7 * shape->size) corners |= 1 << k;
  }
  return cone->allows(corners, n);
}

void PosedPolytope::place(const Eigen::Matrix3d& rotation, const Vector3d& translation) {
  vertices.resize(shape->vertices.size());
  normals.resize(shape->normals.size());
  if (shape->half_extents) return place_box(rotation, translation);
  center = translation + rotation * shape->center;
  for (std::size_t v = 0; v < vertices.size(); ++v) vertices[v] = rotation * shape->vertices[v];
  low = high = vertices[0];
  for (const Vector3d& vertex : vertices) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
  }
  for (std::size_t f = 0; f < normals.size(); ++f) normals[f] = rotation * shape->normals[f];
}

// Corners are sums of three half axes, and opposite corners and faces are each other's negative: a quarter of the
// instructions that the loops over all corners and faces take.
void PosedPolytope::place_box(const Eigen::Matrix3d& rotation, const Vector3d& translation) {
  center = translation;
  for (int k = 0; k < 3; ++k) {
    normals[2 * k] = -rotation.col(k);
    normals[2 * k + 1] = rotation.col(k);
  }
  const Eigen::Matrix3d half = rotation * shape->half_extents->asDiagonal();
  for (int corner = 0; corner < 4; ++corner) {  // those below the center along the third axis
    const double x = corner & 1 ? 1 : -1, y = corner & 2 ? 1 : -1;
    vertices[corner] = x * half.col(0) + y * half.col(1) - half.col(2);
    vertices[7 - corner] = -vertices[corner];
  }
  high = half.col(0).cwiseAbs() + half.col(1).cwiseAbs() + half.col(2).cwiseAbs();
  low = -high;
}

}  // namespace locdyn::detection
