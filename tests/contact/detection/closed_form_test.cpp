// Pairs of shapes against closed forms: apart, touching and in penetration, at any place and orientation.
#include <doctest/doctest.h>

#include <algorithm>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

// What a pair is expected to show, in the coordinates in which it is set up.
struct Expected {
  double gap;
  Vector3d normal;
  std::size_t count;
  double area = 0;  // at least
};

// Sets the pair up as it is and carried somewhere else, in both orders.
void check(const Shape& first, const Pose& at, const Shape& second, const Pose& there, const Expected& expected) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 4; ++trial) {
    CAPTURE(trial);
    const Orientation Q = trial == 0 ? Orientation(1, 0, 0, 0) : random_orientation(random);
    const Vector3d x = trial == 0 ? Vector3d::Zero().eval() : random_vector(random, 3);
    const auto carried = [&](const Pose& pose) { return Pose{x + Q * pose.position, Q * pose.orientation}; };
    const bool swap = trial % 2 == 1;
    Scene scene;
    const auto add = [&](const Shape& shape, const Pose& pose) {
      if (is_solid(shape)) return scene.moving(shape, carried(pose));
      return scene.fixed(shape, carried(pose));
    };
    if (swap) {
      add(second, there);
      add(first, at);
    } else {
      add(first, at);
      add(second, there);
    }
    const auto contacts = scene.detect(0.11);
    REQUIRE(contacts.size() >= expected.count);
    const bool reversed = swap && is_solid(first);  // the obstacle is the master in either order
    for (const auto& contact : contacts) {
      const Vector3d n = Q.conjugate() * contact.normal * (reversed ? -1 : 1);
      CHECK((n - expected.normal).norm() < 1e-9);
    }
    CHECK(std::abs(least_gap(contacts) - expected.gap) < 1e-10);
    if (expected.area > 0) CHECK(spread(contacts) > expected.area);
  }
}

const std::array<double, 4> kGaps{0.1, 1e-7, 0, -0.02};

const Vector3d kOrigin = Vector3d::Zero();

Pose up(double z) {
  return {.position = {0, 0, z}};
}

}  // namespace

TEST_CASE("a sphere on everything") {
  for (double gap : kGaps) {
    CAPTURE(gap);
    const Vector3d z = Vector3d::UnitZ();
    const double r = 0.5;
    check(Sphere{0.3}, {}, Sphere{r}, up(0.3 + r + gap), {gap, z, 1});
    check(Box{{1, 1, 0.4}}, {}, Sphere{r}, {{0.3, -0.2, 0.2 + r + gap}}, {gap, z, 1});
    check(Plane{}, {}, Sphere{r}, {{0.3, -0.2, r + gap}}, {gap, z, 1});
    check(Cylinder{1, 0.4}, {}, Sphere{r}, {{0.3, -0.2, 0.2 + r + gap}}, {gap, z, 1});
    check(Cylinder{1, 0.4}, {}, Sphere{r}, {{1 + r + gap, 0, 0.1}}, {gap, Vector3d::UnitX(), 1});
    check(Capsule{0.2, 1}, {}, Sphere{r}, {{0, 0.7 + gap, 0.3}}, {gap, Vector3d::UnitY(), 1});
    check(Capsule{0.2, 1}, {}, Sphere{r}, up(0.5 + 0.7 + gap), {gap, z, 1});
    const Vector3d edge = Vector3d(1, 0, 1).normalized(), corner = Vector3d(1, 1, 1).normalized();
    check(Box{{1, 1, 1}}, {}, Sphere{r}, {Vector3d(0.5, 0.1, 0.5) + (r + gap) * edge}, {gap, edge, 1});
    check(Box{{1, 1, 1}}, {}, Sphere{r}, {Vector3d(0.5, 0.5, 0.5) + (r + gap) * corner}, {gap, corner, 1});
    check(Cylinder{1, 1}, {}, Sphere{r}, {Vector3d(1, 0, 0.5) + (r + gap) * edge}, {gap, edge, 1});
  }
}

TEST_CASE("a sphere that lies a little beyond the rim of a box: along the line from the rim, however little") {
  const double r = 0.5, over = 0.01;
  for (int exponent = 1; exponent <= 15; ++exponent) {
    CAPTURE(exponent);
    const double beyond = over * std::pow(10, -exponent);
    const Vector3d away(beyond, 0, over), corner(beyond, -beyond, over);
    check(Box{{1, 1, 1}}, {}, Sphere{r}, {Vector3d(0.5, 0.1, 0.5) + away}, {away.norm() - r, away.normalized(), 1});
    check(Sphere{r}, {Vector3d(0.5, -0.5, 0.5) + corner}, Box{{1, 1, 1}}, {},
          {corner.norm() - r, -corner.normalized(), 1});
  }
  // Inside, the least deep face; on the rim itself the sphere is over both.
  check(Box{{1, 1, 1}}, {}, Sphere{r}, {{0.1, -0.2, 0.45}}, {-0.05 - r, Vector3d::UnitZ(), 1});
  check(Box{{1, 1, 1}}, {}, Sphere{r}, {{0.1, -0.46, 0.45}}, {-0.04 - r, -Vector3d::UnitY(), 1});
}

TEST_CASE("a sphere and a box on a box, large and small: the normal is that of the face, to the last bit") {
  for (double size : {1e-90, 1e-9, 1.0, 1e9}) {
    CAPTURE(size);
    for (const Shape& upper : {Shape(Sphere{0.5 * size}), Shape(Box{{size, size, size}})}) {
      const auto contacts = contacts_of(Box{{size, size, size}}, {}, upper, up(size), 1e-9 * size);
      REQUIRE(!contacts.empty());
      for (const auto& contact : contacts) {
        CHECK(contact.normal == Vector3d::UnitZ());
        CHECK(std::abs(contact.gap) < 1e-12 * size);
      }
    }
  }
}

TEST_CASE("faces on faces span what they share") {
  for (double gap : kGaps) {
    CAPTURE(gap);
    const Vector3d z = Vector3d::UnitZ();
    const ConvexHull wedge{{{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {-0.5, 0.5, 0}, {0, -0.5, 1}, {0, 0.5, 1}}};
    check(Box{{1, 1, 1}}, {}, Box{{1, 1, 1}}, {{0.25, 0, 1 + gap}}, {gap, z, 4, 0.7499});
    check(Box{{1, 1, 1}}, {}, Box{{1, 1, 1}}, up(1 + gap), {gap, z, 4, 0.9999});
    check(Box{{3, 0.5, 1}}, {}, Box{{0.5, 3, 1}}, up(1 + gap), {gap, z, 4, 0.2499});
    check(Box{{1, 1, 1}}, {}, Box{{1, 1, 1}}, {{0, 0, 1 + gap}, turned(0.78, z)}, {gap, z, 4, 0.75});
    check(Box{{1, 1, 1}}, {}, wedge, up(0.5 + gap), {gap, z, 4, 0.9999});
    check(wedge, {{0, 0, -1}, turned(M_PI, Vector3d::UnitX())}, wedge, up(-1 + gap), {gap, z, 4, 0.9999});
    check(Plane{}, {}, Box{{1, 1, 1}}, up(0.5 + gap), {gap, z, 4, 0.9999});
    check(Plane{}, {}, wedge, up(gap), {gap, z, 4, 0.9999});
    check(Plane{}, {}, Cylinder{1, 0.5}, up(0.25 + gap), {gap, z, 4, 2.8});
    check(Box{{3, 3, 1}}, {}, Cylinder{1, 0.5}, up(0.75 + gap), {gap, z, 4, 2.8});
    check(Cylinder{1, 0.5}, {}, Cylinder{1, 0.5}, {{0.5, 0, 0.5 + gap}}, {gap, z, 4, 1.5});
  }
}

TEST_CASE("lines touch at both ends") {
  for (double gap : kGaps) {
    CAPTURE(gap);
    const Vector3d z = Vector3d::UnitZ(), x = Vector3d::UnitX();
    const Orientation lying = turned(M_PI / 2, Vector3d::UnitY());
    const Orientation on_edge = turned(M_PI / 4, x);
    check(Plane{}, {}, Capsule{0.2, 1}, {{0, 0, 0.2 + gap}, lying}, {gap, z, 2});
    check(Plane{}, {}, Cylinder{0.2, 1}, {{0, 0, 0.2 + gap}, lying}, {gap, z, 2});
    check(Box{{2, 2, 1}}, {}, Capsule{0.2, 1}, {{0, 0, 0.7 + gap}, lying}, {gap, z, 2});
    check(Box{{2, 2, 1}}, {}, Cylinder{0.2, 1}, {{0, 0, 0.7 + gap}, lying}, {gap, z, 2});
    check(Box{{2, 2, 1}}, {}, Box{{1, 1, 1}}, {{0, 0, 0.5 + std::sqrt(0.5) + gap}, on_edge}, {gap, z, 2});
    check(Capsule{0.2, 1}, {kOrigin, lying}, Capsule{0.3, 1}, {{0.2, 0, 0.5 + gap}, lying}, {gap, z, 2});
    check(Cylinder{0.2, 1}, {kOrigin, lying}, Cylinder{0.3, 1}, {{0.2, 0, 0.5 + gap}, lying}, {gap, z, 2});
    check(Cylinder{0.2, 1}, {kOrigin, lying}, Capsule{0.3, 1}, {{0.2, 0, 0.5 + gap}, lying}, {gap, z, 2});
    check(Box{{1, 1, 1}}, {kOrigin, on_edge}, Cylinder{0.3, 1}, {{0.2, 0, std::sqrt(0.5) + 0.3 + gap}, lying},
          {gap, z, 2});
  }
}

TEST_CASE("what crosses touches at one point") {
  for (double gap : kGaps) {
    CAPTURE(gap);
    const Vector3d z = Vector3d::UnitZ();
    const Orientation along_x = turned(M_PI / 2, Vector3d::UnitY()), along_y = turned(M_PI / 2, Vector3d::UnitX());
    check(Capsule{0.2, 1}, {kOrigin, along_x}, Capsule{0.3, 1}, {{0.1, 0.1, 0.5 + gap}, along_y}, {gap, z, 1});
    check(Cylinder{0.2, 1}, {kOrigin, along_x}, Cylinder{0.3, 1}, {{0.1, 0.1, 0.5 + gap}, along_y}, {gap, z, 1});
    check(Box{{1, 1, 1}}, {kOrigin, turned(M_PI / 4, Vector3d::UnitX())}, Box{{1, 1, 1}},
          {{0.1, 0.1, 2 * std::sqrt(0.5) + gap}, turned(M_PI / 4, Vector3d::UnitY())}, {gap, z, 1});
    // A cylinder's rim on a plane and on a box: the lowest point of a tilted one.
    const double tilt = 0.4, lowest = 0.5 * std::cos(tilt) + 0.3 * std::sin(tilt);
    check(Plane{}, {}, Cylinder{0.3, 1}, {{0.1, 0.2, lowest + gap}, turned(tilt, {1, 2, 0})}, {gap, z, 1});
    check(Box{{3, 3, 1}}, {}, Cylinder{0.3, 1}, {{0.1, 0.2, 0.5 + lowest + gap}, turned(tilt, {1, 2, 0})}, {gap, z, 1});
  }
}

TEST_CASE("a hull of a box's corners answers as the box does") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    CAPTURE(trial);
    const Vector3d size(1, 0.7, 0.4);
    ConvexHull hull;
    for (int k = 7; k >= 0; --k) {
      hull.points.emplace_back(0.5 * size.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
    }
    hull.points.emplace_back(0.1, 0.05, 0);     // inside
    hull.points.emplace_back(0.2, 0.1, 0.2);    // on a face
    hull.points.emplace_back(0.5, 0.35, 0.05);  // on an edge
    const Pose at{random_vector(random, 1), random_orientation(random)};
    const Pose there{at.position + 0.9 * random_vector(random, 1).normalized(), random_orientation(random)};
    const Box other{{0.8, 0.8, 0.8}};
    const auto of_box = contacts_of(Box{size}, at, other, there, 0.1),
               of_hull = contacts_of(hull, at, other, there, 0.1);
    REQUIRE(of_box.empty() == of_hull.empty());
    if (of_box.empty()) continue;
    CHECK(std::abs(least_gap(of_box) - least_gap(of_hull)) < 1e-9);
    CHECK((of_box[0].normal - of_hull[0].normal).norm() < 1e-7);
  }
}
