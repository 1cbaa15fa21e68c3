#include "scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

namespace locdyn::peers {
namespace {

using Eigen::Vector3d;

// The top of the ground is z = 0. A box: one engine's plane gives one point a step to a box that lies on it.
SceneBody ground(double extent) {
  return {.shape = Box{{extent, extent, 1}}, .mass = {}, .position = {0, 0, -0.5}, .fixed = true};
}

SceneBody box(const Vector3d& size, double density, const Vector3d& position) {
  return {.shape = Box{size}, .mass = box_mass(density, size), .position = position};
}

// A wedge between two planes through the y axis, `half_angle` to either side of the local x = 0 plane; local z points
// outwards from the axis, the origin is the mass centre.
struct Voussoir {
  ConvexHull hull;
  MassProperties mass;
  double radius;  // of the mass centre
};

Voussoir make_voussoir(double inner, double outer, double depth, double half_angle, double density) {
  std::vector<Vector3d> corners;
  for (const double side : {-1.0, 1.0}) {
    for (const double radius : {inner, outer}) {
      for (const double y : {-0.5 * depth, 0.5 * depth}) {
        corners.emplace_back(side * radius * std::sin(half_angle), y, radius * std::cos(half_angle));
      }
    }
  }
  // Corner 4 side + 2 radius + y; faces anticlockwise from outside, two triangles each.
  constexpr std::array<std::array<int, 4>, 6> faces = {
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  std::array<std::array<int, 3>, 12> triangles;
  for (std::size_t f = 0; f < 6; ++f) {
    triangles[2 * f] = {faces[f][0], faces[f][1], faces[f][2]};
    triangles[2 * f + 1] = {faces[f][0], faces[f][2], faces[f][3]};
  }
  Voussoir voussoir{.hull = {}, .mass = polyhedron_mass(density, corners, triangles), .radius = 0};
  voussoir.radius = voussoir.mass.center.z();
  for (Vector3d& corner : corners) corner -= voussoir.mass.center;
  voussoir.mass.center.setZero();
  voussoir.mass.inertia = Eigen::Matrix3d(voussoir.mass.inertia.diagonal().asDiagonal());  // but for rounding it is
  voussoir.hull.points = std::move(corners);
  return voussoir;
}

}  // namespace

Scene wall(int courses, int bricks) {
  constexpr double pitch = 0.22, joint = 0.002, width = 0.11, height = 0.07, density = 1900;
  Scene scene{.name = "wall", .friction = 0.6, .bodies = {ground(20)}, .warm_up = 1200};
  for (int course = 0; course < courses; ++course) {
    const bool staggered = course % 2 == 1;
    const double z = (course + 0.5) * height;
    for (int i = 0; i < bricks + staggered; ++i) {
      const bool half = staggered && (i == 0 || i == bricks);
      const double left = staggered ? std::max(0.0, i - 0.5) : i;
      const double length = (half ? 0.5 : 1) * pitch;
      const double x = left * pitch + 0.5 * length - 0.5 * bricks * pitch;
      scene.bodies.push_back(box({length - joint, width, height}, density, {x, 0, z}));
    }
  }
  return scene;
}

Scene arch() {
  constexpr int count = 20;
  constexpr double inner = 5, outer = 6, depth = 1, density = 2400;
  Scene scene{.name = "arch", .friction = 0.7, .bodies = {}, .warm_up = 1200};
  const double sector = std::numbers::pi / count;
  const Voussoir voussoir = make_voussoir(inner, outer, depth, 0.5 * sector, density);
  for (int i = -1; i <= count; ++i) {
    const double angle = (i + 0.5) * sector;  // from the springing at −x
    const Vector3d outwards(-std::cos(angle), 0, std::sin(angle));
    const Orientation turn(Eigen::AngleAxisd(angle - 0.5 * std::numbers::pi, Vector3d::UnitY()));
    scene.bodies.push_back({.shape = voussoir.hull,
                            .mass = voussoir.mass,
                            .position = voussoir.radius * outwards,
                            .orientation = turn,
                            .fixed = i < 0 || i == count});
  }
  return scene;
}

Scene grip(double share) {
  constexpr double force = 50, shake = 5, friction = 0.5, gravity = 9.81;  // F [N], a [m/s²]
  constexpr double rate = 2 * std::numbers::pi / kGripPeriod;
  const double mass = share * 2 * friction * force / (gravity + shake);
  const Vector3d jaw(0.02, 0.1, 0.1), block(0.1, 0.1, 0.1), none = Vector3d::Zero();
  Scene scene{.name = "grip", .friction = friction, .bodies = {box(jaw, 2000, {-0.06, 0, 0})}};
  scene.bodies[0].fixed = true;
  scene.bodies.push_back(box(block, mass / block.prod(), none));
  scene.bodies.push_back(box(jaw, 2000, {0.06, 0, 0}));
  scene.bodies[2].slides = Vector3d::UnitX();
  const auto zero = [none](double, double) { return none; };
  scene.forces.push_back({2, [](double, double) { return Vector3d(-force, 0, 0); }, zero});
  // The gripper's velocity is a/ω sin ωt: what it gains over a step, the block is pulled back by.
  scene.forces.push_back({1,
                          [mass](double t, double h) {
                            const double gained = shake / rate * (std::sin(rate * (t + h)) - std::sin(rate * t));
                            return Vector3d(0, 0, -mass * gained / h);
                          },
                          zero});
  return scene;
}

Scene pile(int spheres, int boxes, std::uint32_t seed) {
  constexpr double cell = 0.12, density = 2000;
  Scene scene{.name = "pile",
              .friction = 0.5,
              .bodies = {ground(100)},
              .warm_up = 120,
              .timed = 240,
              .tolerances = {1e-2, 1e-3, 1e-4, 1e-8}};
  std::mt19937 random(seed);
  // Not std::uniform_real_distribution: the standard library may draw as it likes.
  const auto uniform = [&](double from, double to) {
    return from + (to - from) * (static_cast<double>(random()) / 4294967296.0);
  };
  const int count = spheres + boxes;
  const int side = std::max(1, static_cast<int>(std::lround(std::cbrt(count / 2.0))));
  for (int i = 0; i < count; ++i) {
    const int layer = i / (side * side), row = i / side % side, column = i % side;
    const Vector3d position = cell * Vector3d(column - 0.5 * (side - 1) + uniform(-0.05, 0.05),
                                              row - 0.5 * (side - 1) + uniform(-0.05, 0.05), layer + 0.6);
    // Spread evenly: the i-th is a sphere where the running share of spheres steps up.
    const bool sphere = static_cast<long>(i + 1) * spheres / count > static_cast<long>(i) * spheres / count;
    if (sphere) {
      const double radius = uniform(0.03, 0.05);
      scene.bodies.push_back({.shape = Sphere{radius}, .mass = sphere_mass(density, radius), .position = position});
    } else {
      SceneBody body = box({uniform(0.05, 0.08), uniform(0.04, 0.07), uniform(0.03, 0.06)}, density, position);
      Vector3d axis(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
      body.orientation = exponential(uniform(0, 3) * axis.normalized());
      scene.bodies.push_back(std::move(body));
    }
  }
  return scene;
}

}  // namespace locdyn::peers
