#include <doctest/doctest.h>
#include <algorithm>

#include <Eigen/LU>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <locdyn/bodies/mass_properties.hpp>
#include <locdyn/bodies/rotation.hpp>

using namespace locdyn;
using std::numbers::pi;

namespace {

struct Mesh {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<int, 3>> triangles;
};

// The box [0, a] × [0, b] × [0, c]; vertex i has bit k set where coordinate k is at its upper end.
Mesh box_mesh(const Eigen::Vector3d& size) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i) mesh.vertices.push_back(size.cwiseProduct(Eigen::Vector3d(i & 1, (i >> 1) & 1, i >> 2)));
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

// A unit octahedron, each triangle split in four n times and pushed onto the sphere.
Mesh sphere_mesh(int splits) {
  Mesh mesh;
  for (int axis = 0; axis < 3; ++axis) {
    mesh.vertices.push_back(Eigen::Vector3d::Unit(axis));
    mesh.vertices.push_back(-Eigen::Vector3d::Unit(axis));
  }
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int split = 0; split < splits; ++split) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [entry, added] = middles.try_emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
      if (added) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
      return entry->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const int ab = middle(a, b);
      const int bc = middle(b, c);
      const int ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = finer;
  }
  return mesh;
}

void check_equal(const MassProperties& a, const MassProperties& b, double tolerance) {
  CHECK(std::abs(a.mass - b.mass) <= tolerance * b.mass);
  CHECK((a.center - b.center).norm() <= tolerance);
  CHECK((a.inertia - b.inertia).norm() <= tolerance * b.inertia.norm());
}

}  // namespace

TEST_CASE("a sphere, a box and a cylinder by hand") {
  const MassProperties sphere = sphere_mass(3, 2);
  CHECK(sphere.mass == doctest::Approx(32 * pi).epsilon(1e-15));
  CHECK(sphere.inertia(1, 1) == doctest::Approx(0.4 * 32 * pi * 4).epsilon(1e-15));
  const MassProperties box = box_mass(2, {1, 2, 3});
  CHECK(box.mass == 12);
  CHECK((box.inertia.diagonal() - Eigen::Vector3d(13, 10, 5)).norm() < 1e-14);
  CHECK((euler_tensor(box).diagonal() - Eigen::Vector3d(1, 4, 9)).norm() < 1e-14);
  const MassProperties cylinder = cylinder_mass(1, 2, 6);
  CHECK(cylinder.mass == doctest::Approx(24 * pi).epsilon(1e-15));
  CHECK(cylinder.inertia(2, 2) == doctest::Approx(48 * pi).epsilon(1e-15));
  CHECK(cylinder.inertia(0, 0) == doctest::Approx(96 * pi).epsilon(1e-15));
}

TEST_CASE("a capsule is the integral of its slices") {
  const double r = 0.7;
  const double length = 1.9;
  // Discs of radius ρ(z): dm = π ρ² dz, dJ_z = ½ ρ² dm, dJ_x = (¼ ρ² + z²) dm, by Simpson's rule on the smooth parts,
  // where it is exact: the integrands are polynomials of degree ≤ 4, split fine enough to leave rounding only.
  double mass = 0;
  double across = 0;
  double along = 0;
  const auto add = [&](double from, double to, bool round) {
    const int n = 400;
    const double step = (to - from) / n;
    for (int i = 0; i <= n; ++i) {
      const double z = from + i * step;
      const double beyond = z - length / 2;
      const double square = round ? r * r - beyond * beyond : r * r;
      const double weight = step / 3 * (i == 0 || i == n ? 1 : 2 + 2 * (i % 2)) * pi * square;
      mass += 2 * weight;
      along += weight * square;
      across += 2 * weight * (square / 4 + z * z);
    }
  };
  add(0, length / 2, false);
  add(length / 2, length / 2 + r, true);
  const MassProperties capsule = capsule_mass(1, r, length);
  CHECK(capsule.mass == doctest::Approx(mass).epsilon(1e-10));
  CHECK(capsule.inertia(2, 2) == doctest::Approx(along).epsilon(1e-10));
  CHECK(capsule.inertia(0, 0) == doctest::Approx(across).epsilon(1e-10));
  CHECK(capsule.inertia(1, 1) == capsule.inertia(0, 0));
}

TEST_CASE("a box as a polyhedron, far from the origin and turned") {
  const Eigen::Vector3d size(1, 2, 3);
  const Mesh mesh = box_mesh(size);
  check_equal(polyhedron_mass(2, mesh.vertices, mesh.triangles),
              moved(box_mass(2, size), Eigen::Matrix3d::Identity(), size / 2), 1e-15);
  const Eigen::Matrix3d Q = exponential_matrix({0.4, -1.1, 0.6});
  const Eigen::Vector3d far(1e3, -2e3, 5e2);
  Mesh turned = mesh;
  for (Eigen::Vector3d& vertex : turned.vertices) vertex = Q * vertex + far;
  // The vertices themselves are rounded by 2e3 ε.
  check_equal(polyhedron_mass(2, turned.vertices, turned.triangles),
              moved(moved(box_mass(2, size), Eigen::Matrix3d::Identity(), size / 2), Q, far), 4e-12);
}

TEST_CASE("a polyhedron tends to the sphere at second order") {
  double previous = 0;
  for (int splits = 3; splits <= 5; ++splits) {
    const Mesh mesh = sphere_mesh(splits);
    const MassProperties p = polyhedron_mass(1, mesh.vertices, mesh.triangles);
    CHECK(p.center.norm() < 1e-15);
    const double error = std::abs(p.inertia(0, 0) / sphere_mass(1, 1).inertia(0, 0) - 1);
    if (splits > 3) CHECK(previous / error == doctest::Approx(4).epsilon(0.03));
    previous = error;
  }
  CHECK(previous < 3e-3);
}

TEST_CASE("two halves make the whole, and the parallel axis theorem goes there and back") {
  const MassProperties half = box_mass(5, {1, 2, 1.5});
  const Eigen::Matrix3d I = Eigen::Matrix3d::Identity();
  const std::array parts = {moved(half, I, {0, 0, -0.75}), moved(half, I, {0, 0, 0.75})};
  check_equal(combined(parts), box_mass(5, {1, 2, 3}), 1e-15);
  // About a corner: 1/3 m (b² + c²) and −1/4 m a b.
  const Eigen::Matrix3d corner = inertia_about(box_mass(1, {1, 2, 3}), {-0.5, -1, -1.5});
  CHECK(corner(0, 0) == doctest::Approx(6 * 13.0 / 3).epsilon(1e-15));
  CHECK(corner(0, 1) == doctest::Approx(-6 * 2.0 / 4).epsilon(1e-15));
}

TEST_CASE("what has no meaning is refused") {
  CHECK_THROWS_WITH_AS((void)sphere_mass(1, -1), "radius: expected a finite number > 0, found -1",
                       std::invalid_argument);
  CHECK_THROWS_AS((void)sphere_mass(0, 1), std::invalid_argument);
  CHECK_THROWS_AS((void)box_mass(1, {1, NAN, 1}), std::invalid_argument);
  CHECK_THROWS_AS((void)cylinder_mass(1, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS((void)capsule_mass(1, INFINITY, 1), std::invalid_argument);
  CHECK_THROWS_AS((void)combined({}), std::invalid_argument);
  CHECK_THROWS_AS((void)moved(sphere_mass(1, 1), 2 * Eigen::Matrix3d::Identity(), {0, 0, 0}), std::invalid_argument);

  MassProperties p = box_mass(1, {1, 1, 1});
  p.mass = -1;
  CHECK_THROWS_WITH_AS(validate(p), "mass: expected a finite number > 0, found -1", std::invalid_argument);
  p = {1, Eigen::Vector3d::Zero(), Eigen::Vector3d(1, 2, -3).asDiagonal()};
  CHECK_THROWS_WITH_AS(validate(p), "inertia tensor: expected a positive definite matrix, found the eigenvalue -3",
                       std::invalid_argument);
  p.inertia = Eigen::Vector3d(1, 2, 3.1).asDiagonal();
  CHECK_THROWS_WITH_AS(validate(p),
                       "inertia tensor: expected no principal moment above the sum of the other two, found 3.1 > 1 + 2",
                       std::invalid_argument);
  p.inertia = Eigen::Vector3d(1, 2, 3).asDiagonal();  // a flat plate
  CHECK_NOTHROW(validate(p));
  p.inertia(0, 1) = 0.1;
  CHECK_THROWS_AS(validate(p), std::invalid_argument);
}

TEST_CASE("a polyhedron that is open, inside out, flat or misnumbered is refused") {
  Mesh mesh = box_mesh({1, 1, 1});
  const auto mass = [&] { return polyhedron_mass(1, mesh.vertices, mesh.triangles); };
  for (auto& triangle : mesh.triangles) std::swap(triangle[0], triangle[1]);
  CHECK_THROWS_WITH_AS((void)mass(),
                       "polyhedron: expected a volume > 0 (triangles anticlockwise from outside), found -1",
                       std::invalid_argument);
  mesh = box_mesh({1, 1, 1});
  std::swap(mesh.triangles[3][0], mesh.triangles[3][1]);
  CHECK_THROWS_AS((void)mass(), std::invalid_argument);
  mesh = box_mesh({1, 1, 1});
  mesh.triangles.pop_back();
  CHECK_THROWS_AS((void)mass(), std::invalid_argument);
  mesh = box_mesh({1, 1, 1});
  mesh.triangles[0][0] = 8;
  CHECK_THROWS_WITH_AS((void)mass(), "polyhedron: expected a vertex index from 0 to 7, found 8", std::invalid_argument);
  mesh = box_mesh({1, 1, 0});
  CHECK_THROWS_AS((void)mass(), std::invalid_argument);
  mesh = {};
  CHECK_THROWS_AS((void)mass(), std::invalid_argument);
}
