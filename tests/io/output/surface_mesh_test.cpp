#include <locdyn/io/output/surface_mesh.hpp>

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>
#include <map>
#include <numbers>
#include <stdexcept>

using namespace locdyn;
using namespace locdyn::detail;
using Eigen::Vector3d;

namespace {

// By the divergence theorem, of a closed mesh turned outwards.
double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    sum += mesh.vertices[a].dot(mesh.vertices[b].cross(mesh.vertices[c])) / 6;
  }
  return sum;
}

// Each edge is met once in each direction.
bool closed(const TriangleMesh& mesh) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& triangle : mesh.triangles) {
    for (int k = 0; k < 3; ++k) ++edges[{triangle[k], triangle[(k + 1) % 3]}];
  }
  for (const auto& [edge, count] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    if (count != 1 || back == edges.end() || back->second != 1) return false;
  }
  return !edges.empty();
}

}  // namespace

TEST_CASE("solids are closed, turned outwards and converge to their volume at second order") {
  constexpr double pi = std::numbers::pi;
  const double r = 0.7, l = 1.3;
  const struct {
    Shape shape;
    double exact;
  } solids[] = {{Sphere{r}, 4 * pi * r * r * r / 3},
                {Capsule{r, l}, 4 * pi * r * r * r / 3 + pi * r * r * l},
                {Cylinder{r, l}, pi * r * r * l}};
  for (const auto& [shape, exact] : solids) {
    const auto kind = name_of(shape);
    CAPTURE(kind);
    double last = 0;
    for (int halvings = 0; halvings <= 4; ++halvings) {
      const TriangleMesh mesh = triangulate(shape, {.halvings = halvings});
      CHECK(closed(mesh));
      const double error = exact - volume(mesh);
      CHECK(error > 0);  // drawn inside the shape
      if (halvings > 2) CHECK(last / error == doctest::Approx(4).epsilon(0.1));
      last = error;
    }
  }
}

TEST_CASE("boxes and hulls have their exact volume") {
  const TriangleMesh box = triangulate(Box{{1, 2, 3}});
  CHECK(closed(box));
  CHECK(volume(box) == doctest::Approx(6).epsilon(1e-14));  // sums of twelve products
  ConvexHull tetrahedron{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}}};
  const TriangleMesh hull = triangulate(tetrahedron);
  CHECK(closed(hull));
  CHECK(hull.vertices.size() == 4);
  CHECK(volume(hull) == doctest::Approx(1.0 / 6).epsilon(1e-14));
}

TEST_CASE("the surface of a capsule is where it should be") {
  const TriangleMesh mesh = triangulate(Capsule{0.5, 2}, {.halvings = 3});
  for (const Vector3d& x : mesh.vertices) {
    const double z = std::max(std::abs(x.z()) - 1, 0.0);
    CHECK(Vector3d(x.x(), x.y(), z).norm() == doctest::Approx(0.5).epsilon(1e-12));
  }
}

TEST_CASE("height fields and planes look up") {
  HeightField field;
  field.heights = Eigen::MatrixXd::Zero(3, 4);
  field.heights(1, 2) = 0.5;
  field.spacing = {0.5, 0.25};
  const TriangleMesh terrain = triangulate(field);
  CHECK(terrain.vertices.size() == 12);
  CHECK(terrain.triangles.size() == 12);
  for (const TriangleMesh& mesh : {terrain, triangulate(Plane{}, {}, 4, {1, 2})}) {
    double area = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
      const Vector3d normal = (mesh.vertices[b] - mesh.vertices[a]).cross(mesh.vertices[c] - mesh.vertices[a]);
      CHECK(normal.z() > 0);
      area += 0.5 * normal.z();  // of the projection
    }
    CHECK(area == doctest::Approx(&mesh == &terrain || mesh.vertices.size() == 12 ? 0.75 : 16).epsilon(1e-14));
  }
  CHECK(terrain.vertices[6].isApprox(Vector3d(0, 0.125, 0.5)));  // i = 1, j = 2
}

TEST_CASE("what cannot be drawn is refused") {
  CHECK_THROWS_AS((void)triangulate(Sphere{0}), std::invalid_argument);
  CHECK_THROWS_AS((void)triangulate(Sphere{1}, {.halvings = 6}), std::invalid_argument);
  CHECK_THROWS_AS((void)triangulate(Plane{}, {}, 0), std::invalid_argument);
}
