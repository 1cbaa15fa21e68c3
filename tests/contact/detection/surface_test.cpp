// Meshes and height fields: flat ones answer as a plane does, wherever their inner edges lie; ridges and steps as solid
// ground does.
#include <doctest/doctest.h>
#include <algorithm>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

// A flat floor at z = 0, of triangles as long as `cell`, their diagonals in both senses.
TriangleMesh flat_mesh(int cells, double cell) {
  TriangleMesh mesh;
  const auto at = [cells](int i, int j) { return i * (cells + 1) + j; };
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) mesh.vertices.emplace_back((i - 0.5 * cells) * cell, (j - 0.5 * cells) * cell, 0);
  }
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      if ((i + j) % 2 == 0) {
        mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
        mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
      } else {
        mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
        mesh.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    }
  }
  return mesh;
}

std::vector<DetectedContact> on_ground(const Shape& ground, const Pose& at, const Shape& shape, const Pose& pose,
                                       double reach) {
  Scene scene;
  scene.fixed(ground, at);
  scene.moving(shape, pose);
  return scene.detect(reach);
}

const std::vector<Shape> kSolids{
    Sphere{0.4}, Box{{1, 0.8, 0.6}}, Capsule{0.3, 0.8}, Cylinder{0.5, 0.6},
    ConvexHull{{{-0.5, -0.5, -0.3}, {0.5, -0.5, -0.3}, {0.5, 0.5, -0.3}, {-0.5, 0.5, -0.3}, {0, 0, 0.5}}}};

}  // namespace

TEST_CASE("a flat mesh or height field answers as the plane does") {
  std::mt19937 random(11);
  const TriangleMesh mesh = flat_mesh(9, 0.37);
  const HeightField field{Eigen::MatrixXd::Zero(10, 8), {0.4, 0.5}};
  for (int trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    const Shape& shape = kSolids[trial % kSolids.size()];
    // Standing or tilted a little, or any way round.
    const double tilt = trial % 3 == 0 ? 0 : trial % 3 == 1 ? std::pow(10, -2 - trial % 9) : 2;
    const Orientation turn =
        turned(tilt, random_vector(random, 1)) * turned(trial % 4 == 0 ? 0 : 1.0 * trial, Vector3d::UnitZ());
    Vector3d aside = random_vector(random, 0.5);
    aside[2] = 2;
    const double least = least_gap(on_ground(Plane{}, {}, shape, {aside, turn}, 4));
    aside[2] = 2 - least + (trial % 2 == 0 ? -1e-5 : 1e-5) * (trial % 5);
    const auto expected = on_ground(Plane{}, {}, shape, {aside, turn}, 1e-3);
    for (const Shape& ground : {Shape(mesh), Shape(field)}) {
      const auto found = on_ground(ground, {}, shape, {aside, turn}, 1e-3);
      REQUIRE(!found.empty());
      CHECK(found.size() >= std::min<std::size_t>(expected.size(), 4));
      for (const auto& contact : found) CHECK((contact.normal - Vector3d::UnitZ()).norm() < 2e-6);
      // A cylinder shows its lowest point from a tilt of 1e-6 on: until then r (1 − cos 22.5°) 1e-6 are missing.
      const double tolerance = std::holds_alternative<Cylinder>(shape) ? 0.5 * 0.077 * 1e-6 : 1e-9;
      CHECK(std::abs(least_gap(found) - least_gap(expected)) < tolerance);
      CHECK(spread(found) > 0.92 * spread(expected) - 1e-6);  // it may show more, where the plane shows corners alone
    }
  }
}

TEST_CASE("a box that slides over inner edges meets the face normal alone") {
  const TriangleMesh mesh = flat_mesh(6, 0.5);
  for (double depth : {1e-3, 1e-5, 0.0, -1e-5}) {
    for (int step = 0; step < 300; ++step) {
      CAPTURE(step);
      const double x = -0.6 + 0.004 * step;
      const auto found = on_ground(mesh, {}, Box{{0.2, 0.2, 0.2}},
                                   {{x, 0.3 * x, 0.1 - depth}, turned(1e-6 * step, {1, 0.3, 0.1})}, 1e-3);
      REQUIRE(found.size() >= 4);
      for (const auto& contact : found) CHECK((contact.normal - Vector3d::UnitZ()).norm() < 1e-3);
      CHECK(spread(found) == doctest::Approx(0.04).epsilon(1e-2));
    }
  }
}

TEST_CASE("ridges, steps and rims of a mesh touch with the normals between their faces") {
  // A roof with its ridge along y at z = 0, 45° to each side; and the rim of a table.
  const TriangleMesh roof{{{0, -2, 0}, {0, 2, 0}, {-2, -2, -2}, {-2, 2, -2}, {2, -2, -2}, {2, 2, -2}},
                          {{0, 1, 2}, {2, 1, 3}, {0, 4, 1}, {4, 5, 1}}};
  for (double gap : {0.05, 1e-6, 0.0, -0.01}) {
    CAPTURE(gap);
    for (const auto& contact : on_ground(roof, {}, Sphere{0.5}, {{0, 0.3, 0.5 + gap}}, 0.1)) {
      CHECK((contact.normal - Vector3d::UnitZ()).norm() < 1e-9);
      CHECK(std::abs(contact.gap - gap) < 1e-12);
      CHECK((contact.point - Vector3d(0, 0.3, 0.5 * gap)).norm() < 1e-9);
    }
    CHECK(on_ground(roof, {}, Sphere{0.5}, {{0, 0.3, 0.5 + gap}}, 0.1).size() == 1);
    const auto box = on_ground(roof, {}, Box{{1, 1, 1}}, {{0, 0.3, 0.5 + gap}}, 0.1);
    CHECK(box.size() == 2);
    for (const auto& contact : box) CHECK((contact.normal - Vector3d::UnitZ()).norm() < 1e-9);
    CHECK(std::abs(least_gap(box) - gap) < 1e-12);
  }
  const Vector3d slope = Vector3d(1, 0, 1).normalized();
  const auto on_slope = on_ground(roof, {}, Sphere{0.5}, {Vector3d(1, 0.3, -1) + 0.51 * slope}, 0.1);
  REQUIRE(on_slope.size() == 1);
  CHECK((on_slope[0].normal - slope).norm() < 1e-12);
  CHECK(std::abs(on_slope[0].gap - 0.01) < 1e-12);
  // In a valley both faces touch, and no normal between them is shown.
  TriangleMesh valley = roof;
  for (auto& vertex : valley.vertices) vertex[2] = -vertex[2];
  const auto in_valley = on_ground(valley, {}, Sphere{0.5}, {{0, 0.3, 0.5 * std::sqrt(2.0)}}, 0.1);
  REQUIRE(in_valley.size() == 2);
  for (const auto& contact : in_valley) {
    CHECK(std::abs(std::abs(contact.normal[0]) - std::sqrt(0.5)) < 1e-12);
    CHECK(std::abs(contact.gap) < 1e-12);
  }
}

TEST_CASE("a height field lies where its numbers say") {
  HeightField field{Eigen::MatrixXd::Zero(3, 4), {1, 0.5}};
  for (int i = 0; i < 3; ++i) field.heights.row(i).setConstant(0.5 * i);  // rises along x at a half
  const Vector3d n = Vector3d(-0.5, 0, 1).normalized();
  const auto found = on_ground(field, {}, Sphere{0.2}, {Vector3d(0.3, 0.1, 0.5 + 0.15) + 0.21 * n}, 0.1);
  REQUIRE(found.size() == 1);
  CHECK((found[0].normal - n).norm() < 1e-12);
  CHECK(std::abs(found[0].gap - 0.01) < 1e-12);
  CHECK(on_ground(field, {}, Sphere{0.2}, {{1.5, 0, 1.1}}, 0.1).empty());  // beside it
}
