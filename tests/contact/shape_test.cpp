#include <doctest/doctest.h>
#include <algorithm>

#include <cmath>
#include <random>
#include <stdexcept>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/contact/collider.hpp>
#include <locdyn/contact/convex_hull.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using Eigen::Vector3d;

namespace {

ConvexHull corners_of(const Vector3d& size) {
  ConvexHull hull;
  for (int k = 0; k < 8; ++k) {
    hull.points.emplace_back(0.5 * size.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
  }
  return hull;
}

void check_refused(const Shape& shape, const char* message) {
  CHECK_THROWS_WITH_AS(validate(shape), message, std::invalid_argument);
}

}  // namespace

TEST_CASE("a hull has the mass of its solid, whatever points lie inside or on it") {
  const Vector3d size(1, 2, 0.5);
  ConvexHull hull = corners_of(size);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  for (int k = 0; k < 200; ++k) {
    Vector3d x = size.cwiseProduct(Vector3d(uniform(random), uniform(random), uniform(random)));
    if (k % 2) x[k % 3] = 0.5 * size[k % 3];  // on a face
    hull.points.push_back(x);
  }
  for (Vector3d& point : hull.points) point += Vector3d(3, 4, 5);
  const MassProperties found = mass_properties(hull, 7), expected = box_mass(7, size);
  CHECK(found.mass == doctest::Approx(expected.mass).epsilon(1e-10));
  CHECK((found.center - Vector3d(3, 4, 5)).norm() < 1e-10);
  CHECK((found.inertia - expected.inertia).norm() < 1e-9);
}

TEST_CASE("the hull of points on a sphere has them all for corners and none outside") {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  std::vector<Vector3d> points;
  for (int k = 0; k < 500; ++k)
    points.emplace_back(Vector3d(normal(random), normal(random), normal(random)).normalized());
  const TriangleMesh hull = convex_hull(points);
  CHECK(hull.vertices.size() == points.size());
  CHECK(hull.triangles.size() == 2 * points.size() - 4);  // Euler
  double most = 0;
  for (const auto& [a, b, c] : hull.triangles) {
    const Vector3d n = (hull.vertices[b] - hull.vertices[a]).cross(hull.vertices[c] - hull.vertices[a]).normalized();
    for (const Vector3d& point : points) most = std::max(most, n.dot(point - hull.vertices[a]));
  }
  CHECK(most < 1e-12);
}

TEST_CASE("mass properties of the closed forms, and none for surfaces") {
  CHECK(mass_properties(Sphere{0.5}, 3).mass == doctest::Approx(sphere_mass(3, 0.5).mass));
  CHECK(mass_properties(Capsule{0.5, 1}, 3).mass == doctest::Approx(capsule_mass(3, 0.5, 1).mass));
  CHECK(mass_properties(Cylinder{0.5, 1}, 3).mass == doctest::Approx(cylinder_mass(3, 0.5, 1).mass));
  CHECK_THROWS_WITH_AS(static_cast<void>(mass_properties(Plane{}, 3)),
                       "shape: expected a solid one (sphere, box, capsule, cylinder, convex hull), found plane",
                       std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(mass_properties(Sphere{0.5}, 0)), std::invalid_argument);
}

TEST_CASE("degenerate shapes are refused, field by field") {
  check_refused(Sphere{0}, "sphere: radius: expected a finite number > 0, found 0");
  check_refused(Box{{1, 0, 1}}, "box: size: expected a finite number > 0, found 0");
  check_refused(Capsule{1, -1}, "capsule: length: expected a finite number > 0, found -1");
  check_refused(Cylinder{1, NAN}, "cylinder: height: expected a finite number > 0, found nan");
  check_refused(ConvexHull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
                "convex hull: points: expected at least 4 of them, found 3");
  check_refused(ConvexHull{{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {0.3, 0.2, 1}}},
                "convex hull: points: expected a hull with a volume, found points in a plane (volume 0)");
  CHECK_THROWS_AS(validate(Shape(ConvexHull{{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, NAN}}})), std::invalid_argument);
  CHECK_THROWS_AS(validate(Shape(ConvexHull{std::vector<Vector3d>(10, Vector3d(1, 2, 3))})), std::invalid_argument);
  check_refused(TriangleMesh{}, "triangle mesh: triangles: expected at least one, found none");
  check_refused(TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}},
                "triangle mesh: triangles: expected a vertex index from 0 to 2, found 3");
  check_refused(HeightField{Eigen::MatrixXd::Zero(1, 5), {1, 1}},
                "height field: heights: expected at least 2×2 of them, found 1×5");
  check_refused(HeightField{Eigen::MatrixXd::Zero(2, 2), {1, 0}},
                "height field: spacing: expected a finite number > 0, found 0");
}

TEST_CASE("a collider is checked field by field") {
  BodySet bodies;
  bodies.emplace<Obstacle>();
  bodies.emplace<Particle>(1.0, Vector3d(0, 0, 0));
  const Collider good{.body = BodyId{1}, .shape = Sphere{1}};
  CHECK_NOTHROW(validate(good, bodies));
  CHECK_NOTHROW(validate(Collider{.body = BodyId{0}, .shape = Plane{}}, bodies));
  Collider bad = good;
  bad.body = BodyId{2};
  CHECK_THROWS_WITH_AS(validate(bad, bodies), "body: expected a body id below 2, found 2", std::invalid_argument);
  bad = good;
  bad.shape = Plane{};
  CHECK_THROWS_WITH_AS(validate(bad, bodies), "shape: expected a solid one on body 1, which moves, found a plane",
                       std::invalid_argument);
  bad = good;
  bad.position[0] = NAN;
  CHECK_THROWS_AS(validate(bad, bodies), std::invalid_argument);
  bad = good;
  bad.orientation = Orientation(1, 1, 0, 0);
  CHECK_THROWS_AS(validate(bad, bodies), std::invalid_argument);
}

TEST_CASE("two colliders meet where the groups of each are among those the other meets") {
  const Collider a{.body = BodyId{0}, .groups = 1, .collides_with = 2},
      b{.body = BodyId{1}, .groups = 2, .collides_with = 1};
  CHECK(may_meet(a, b));
  CHECK(!may_meet(a, a));
  Collider deaf = b;
  deaf.collides_with = 4;
  CHECK(!may_meet(a, deaf));
  CHECK(!may_meet(deaf, a));
}
