#include <locdyn/io/output/surface_mesh.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/contact/convex_hull.hpp>
#include <locdyn/contact/height_field_mesh.hpp>

namespace locdyn::detail {
namespace {

using Eigen::Vector3d;

// A sphere of radius 1 from an octahedron, each triangle parted in four. Its poles are ±z and its equator is part of
// it, so that it comes apart into two half-spheres along edges.
TriangleMesh unit_sphere(int halvings) {
  TriangleMesh mesh{{Vector3d::UnitX(), Vector3d::UnitY(), -Vector3d::UnitX(), -Vector3d::UnitY(), Vector3d::UnitZ(),
                     -Vector3d::UnitZ()},
                    {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {1, 0, 5}, {2, 1, 5}, {3, 2, 5}, {0, 3, 5}}};
  for (int halving = 0; halving < halvings; ++halving) {
    std::map<std::pair<int, int>, int> middle_of;
    const auto middle = [&](int a, int b) {
      const auto [at, is_new] = middle_of.try_emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
      if (is_new) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
      return at->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
  }
  return mesh;
}

TriangleMesh sphere(double radius, int halvings) {
  TriangleMesh mesh = unit_sphere(halvings);
  for (Vector3d& point : mesh.vertices) point *= radius;
  return mesh;
}

TriangleMesh box(const Vector3d& size) {
  TriangleMesh mesh;
  for (int corner = 0; corner < 8; ++corner) {
    mesh.vertices.push_back(0.5 * size.cwiseProduct(Vector3d((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1,
                                                             (corner & 4) != 0 ? 1 : -1)));
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

// A sphere whose halves are pulled apart by the length: the triangles below the equator get an equator of their own,
// and a band ties the two.
TriangleMesh capsule(double radius, double length, int halvings) {
  TriangleMesh mesh = sphere(radius, halvings);
  const double tiny = 1e-9 * radius;
  std::map<int, int> lower_of;  // points of the equator
  for (int k = 0, count = static_cast<int>(mesh.vertices.size()); k < count; ++k) {
    if (std::abs(mesh.vertices[k].z()) > tiny) continue;
    lower_of[k] = static_cast<int>(mesh.vertices.size());
    mesh.vertices.push_back(mesh.vertices[k]);
  }
  std::vector<std::array<int, 3>> band;
  for (auto& triangle : mesh.triangles) {
    const double z = mesh.vertices[triangle[0]].z() + mesh.vertices[triangle[1]].z() + mesh.vertices[triangle[2]].z();
    for (int k = 0; z > 0 && k < 3; ++k) {
      const auto a = lower_of.find(triangle[k]), b = lower_of.find(triangle[(k + 1) % 3]);
      if (a == lower_of.end() || b == lower_of.end()) continue;
      band.push_back({b->first, a->first, a->second});
      band.push_back({b->first, a->second, b->second});
    }
    for (int& corner : triangle) {
      if (z < 0 && lower_of.contains(corner)) corner = lower_of[corner];
    }
  }
  for (Vector3d& point : mesh.vertices) point.z() += (point.z() > tiny ? 0.5 : -0.5) * length;
  for (const auto& [upper, lower] : lower_of) mesh.vertices[upper].z() += length;
  mesh.triangles.insert(mesh.triangles.end(), band.begin(), band.end());
  return mesh;
}

TriangleMesh cylinder(double radius, double height, int halvings) {
  const int segments = 4 << halvings;
  TriangleMesh mesh{{{0, 0, -0.5 * height}, {0, 0, 0.5 * height}}, {}};
  for (int k = 0; k < segments; ++k) {
    const double angle = 2 * std::numbers::pi * k / segments;
    const Vector3d rim(radius * std::cos(angle), radius * std::sin(angle), 0);
    mesh.vertices.push_back(rim + mesh.vertices[0]);
    mesh.vertices.push_back(rim + mesh.vertices[1]);
    const int a = 2 + 2 * k, b = 2 + 2 * ((k + 1) % segments);
    mesh.triangles.insert(mesh.triangles.end(), {{0, b, a}, {1, a + 1, b + 1}, {a, b, b + 1}, {a, b + 1, a + 1}});
  }
  return mesh;
}

TriangleMesh square(double extent, const Eigen::Vector2d& centre) {
  if (!(extent > 0) || !std::isfinite(extent)) {
    throw std::invalid_argument("plane: expected an extent > 0 to be drawn with, found " + std::to_string(extent));
  }
  const double half = 0.5 * extent;
  TriangleMesh mesh;
  for (const auto& [x, y] : {std::pair{-half, -half}, {half, -half}, {half, half}, {-half, half}}) {
    mesh.vertices.emplace_back(centre.x() + x, centre.y() + y, 0);
  }
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

struct Triangulate {
  int halvings;
  double extent;
  const Eigen::Vector2d& centre;

  TriangleMesh operator()(const Sphere& s) const { return sphere(s.radius, halvings); }
  TriangleMesh operator()(const Box& s) const { return box(s.size); }
  TriangleMesh operator()(const Capsule& s) const { return capsule(s.radius, s.length, halvings); }
  TriangleMesh operator()(const Cylinder& s) const { return cylinder(s.radius, s.height, halvings); }
  TriangleMesh operator()(const ConvexHull& s) const { return convex_hull(s.points); }
  TriangleMesh operator()(const TriangleMesh& s) const { return s; }
  TriangleMesh operator()(const HeightField& s) const { return mesh_of(s); }
  TriangleMesh operator()(const Plane&) const { return square(extent, centre); }
};

}  // namespace

TriangleMesh triangulate(const Shape& shape, const Fineness& fineness, double extent, const Eigen::Vector2d& centre) {
  if (fineness.halvings < 0 || fineness.halvings > 5) {
    throw std::invalid_argument("fineness: expected 0 … 5 halvings, found " + std::to_string(fineness.halvings));
  }
  validate(shape);
  return std::visit(Triangulate{fineness.halvings, extent, centre}, shape);
}

}  // namespace locdyn::detail
