// Distances, overlaps and sweeps: closed forms for every shape, and for every pair a certificate that needs no
// algorithm: witness points that lie in their shapes, and a slab between the shapes as wide as the distance.

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <locdyn/queries/distance_finder.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "query_world.hpp"

using namespace locdyn;
using Eigen::Vector3d;

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

// max n·x over a shape, in its own coordinates, with a unit n.
double farthest(const Shape& shape, const Vector3d& n) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius;
  if (const auto* s = std::get_if<Box>(&shape)) return 0.5 * s->size.dot(n.cwiseAbs());
  if (const auto* s = std::get_if<Capsule>(&shape)) return s->radius + 0.5 * s->length * std::abs(n[2]);
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    return s->radius * n.head<2>().norm() + 0.5 * s->height * std::abs(n[2]);
  }
  double most = -kFar;
  for (const Vector3d& p : std::get<ConvexHull>(shape).points) most = std::max(most, n.dot(p));
  return most;
}

Orientation random_turn(std::mt19937& random) {
  const Vector3d v = random_vector(random);
  return Orientation(random_vector(random)[0] + 1.5, v[0], v[1], v[2]).normalized();
}

// A cube of triangles, anticlockwise from outside.
TriangleMesh cube_mesh(const Vector3d& size) {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k) {
    mesh.vertices.push_back(0.5 * size.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
  }
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

}  // namespace

TEST_CASE("distances: a point and a sphere beside every solid, outside and inside") {
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    std::mt19937 random(3);
    World world;
    const Orientation Q = Orientation(0.3, -0.5, 0.7, 0.2).normalized();
    const Vector3d x(3, -2, 1);
    world.add(c.shape, x, Q);
    const DistanceFinder finder(world.system);
    double worst = 0, worst_witness = 0;
    for (int i = 0; i < 1000; ++i) {
      const Vector3d point = x + random_vector(random);
      const double expected = c.distance(Q.inverse() * (point - x));
      const auto found = finder.nearest(point, kFar);
      REQUIRE(found);
      worst = std::max(worst, std::abs(found->distance - expected));
      worst_witness = std::max({worst_witness, (found->on_first - point).norm(),
                                (found->on_second - found->on_first - found->distance * found->normal).norm(),
                                std::abs(c.distance(Q.inverse() * (found->on_second - x)))});
      const auto sphere = finder.nearest(Probe{.shape = Sphere{0.2}, .position = point}, kFar);
      REQUIRE(sphere);
      worst = std::max(worst, std::abs(sphere->distance - (expected - 0.2)));
    }
    CHECK(worst < 1e-12);
    CHECK(worst_witness < (std::string(c.name) == "cylinder" ? 1e-6 : 1e-12));  // near the axis all normals part
  }
}

TEST_CASE("distances: every pair of solids, apart, with a certificate: points in them, a slab between them") {
  std::mt19937 random(7);
  const Vector3d x(0.3, -0.2, 0.1);
  const Orientation Q = random_turn(random);
  for (const Case& a : cases()) {
    World world;
    world.add(a.shape, x, Q);
    const DistanceFinder finder(world.system);
    for (const Case& b : cases()) {
      CAPTURE(std::string(a.name));
      CAPTURE(std::string(b.name));
      int apart = 0;
      double wrong = 0, width = 0;
      for (int i = 0; i < 500; ++i) {
        const Probe probe{
            .shape = b.shape, .position = x + 2 * random_vector(random), .orientation = random_turn(random)};
        const auto s = finder.nearest(probe, kFar);
        REQUIRE(s);
        if (s->distance <= 0) continue;
        ++apart;
        const Orientation& P = probe.orientation;
        wrong = std::max(wrong, b.distance(P.inverse() * (s->on_first - probe.position)));
        wrong = std::max(wrong, a.distance(Q.inverse() * (s->on_second - x)));
        wrong = std::max(wrong, std::abs((s->on_second - s->on_first).norm() - s->distance));
        wrong = std::max(wrong, std::abs(s->normal.norm() - 1));
        const double slab = s->normal.dot(x - probe.position) - farthest(a.shape, -(Q.inverse() * s->normal)) -
                            farthest(b.shape, P.inverse() * s->normal);
        width = std::max(width, std::abs(slab - s->distance));
      }
      // A rim's normal is known to the square root of rounding alone, and the slab along it has its error.
      const bool round = std::string(a.name) == "cylinder" || std::string(b.name) == "cylinder";
      CHECK(apart > 150);
      CHECK(wrong < 1e-12);
      CHECK(width < (round ? 1e-7 : 1e-12));
    }
  }
}

TEST_CASE("distances: overlapping boxes are parted by the least of all separating axes, turned or not") {
  std::mt19937 random(9);
  const Box box{{1, 0.8, 0.6}};
  double worst = 0;
  int deep = 0;
  for (const Orientation& Q : {Orientation(1, 0, 0, 0), random_turn(random)}) {
    World world;
    world.add(box, Vector3d::Zero(), Q);
    const DistanceFinder finder(world.system);
    for (int i = 0; i < 1000; ++i) {
      // Along the axes of the first, by quarters of its size, and anyhow.
      const bool along = i % 2 == 0;
      const Orientation P = along ? Q : random_turn(random);
      Vector3d y = 0.4 * random_vector(random);
      if (along && i % 4 == 0)
        y = Q * Vector3d((i / 4 % 5 - 2) * 0.25, (i / 20 % 5 - 2) * 0.2, (i / 100 % 3 - 1) * 0.3);
      const auto s = finder.nearest(Probe{.shape = box, .position = y, .orientation = P}, kFar);
      REQUIRE(s);
      double expected = -kFar;
      const auto try_axis = [&](const Vector3d& axis) {
        if (axis.norm() < 1e-6) return;
        const Vector3d n = axis.normalized();
        expected =
            std::max(expected, std::abs(n.dot(y)) - farthest(box, P.inverse() * n) - farthest(box, Q.inverse() * n));
      };
      for (int k = 0; k < 3; ++k) {
        try_axis(Q * Vector3d::Unit(k));
        try_axis(P * Vector3d::Unit(k));
        for (int l = 0; l < 3; ++l) try_axis((Q * Vector3d::Unit(k)).cross(P * Vector3d::Unit(l)));
      }
      if (expected > 1e-9) continue;
      ++deep;
      worst = std::max(worst, std::abs(s->distance - expected));
      worst = std::max(worst, (s->on_second - s->on_first - s->distance * s->normal).norm());
      worst = std::max(worst, box_distance(P.inverse() * (s->on_first - y), 0.5 * box.size));
      worst = std::max(worst, box_distance(Q.inverse() * s->on_second, 0.5 * box.size));
    }
  }
  CHECK(deep > 1500);
  CHECK(worst < 1e-12);
}

TEST_CASE("distances: any two solids in overlap: witness points in them, parted by the depth they touch, by less not") {
  std::mt19937 random(10);
  const Orientation Q = random_turn(random);
  for (const Case& a : cases()) {
    World world;
    world.add(a.shape, Vector3d::Zero(), Q);
    const DistanceFinder finder(world.system);
    for (const Case& b : cases()) {
      CAPTURE(std::string(a.name));
      CAPTURE(std::string(b.name));
      int deep = 0;
      double wrong = 0, less = 0, witness = 0;
      for (int i = 0; i < 150; ++i) {
        Probe probe{.shape = b.shape, .position = 0.4 * random_vector(random), .orientation = random_turn(random)};
        const auto s = finder.nearest(probe, kFar);
        REQUIRE(s);
        if (s->distance > 0) continue;
        ++deep;
        const Orientation& P = probe.orientation;
        // The normal's slab is as deep as told, and no other of many is less deep.
        const auto slab = [&](const Vector3d& n) {
          return -n.dot(probe.position) - farthest(a.shape, -(Q.inverse() * n)) - farthest(b.shape, P.inverse() * n);
        };
        wrong = std::max(wrong, std::abs(slab(s->normal) - s->distance));
        for (int k = 0; k < 50; ++k) {
          const double part = k < 25 ? 1 : 0.01;
          less =
              std::max(less, slab((part * random_vector(random) + s->normal * (1 - part)).normalized()) - s->distance);
        }
        witness = std::max(witness, (s->on_second - s->on_first - s->distance * s->normal).norm());
        wrong = std::max(wrong, b.distance(P.inverse() * (s->on_first - probe.position)));
        wrong = std::max(wrong, a.distance(Q.inverse() * s->on_second));
        probe.position += s->distance * s->normal;
        wrong = std::max(wrong, std::abs(finder.nearest(probe, kFar)->distance));
      }
      CHECK(deep > 50);
      const bool round = std::string(a.name) == "cylinder" || std::string(b.name) == "cylinder";
      CHECK(less < 1e-12);
      CHECK(witness < (round ? 1e-6 : 1e-12));
      CHECK(wrong < (round ? 1e-11 : 1e-12));
    }
  }
}

TEST_CASE("distances: closed forms of capsules and of cylinders on parallel axes, apart and in overlap") {
  std::mt19937 random(11);
  const Orientation Q = random_turn(random);
  World capsules, cylinders;
  capsules.add(Capsule{0.3, 0.8}, Vector3d::Zero(), Q);
  cylinders.add(Cylinder{0.4, 0.9}, Vector3d::Zero(), Q);
  const DistanceFinder of_capsule(capsules.system), of_cylinder(cylinders.system);
  double capsule = 0, cylinder = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vector3d y = 1.2 * random_vector(random);
    // Two segments: by the least of the quadratic in their parameters, inside or on the sides of its square.
    const Orientation P = random_turn(random);
    const Vector3d d = Q * Vector3d(0, 0, 0.4), e = P * Vector3d(0, 0, 0.3);
    const auto apart = [&](double s, double t) { return (y + t * e - s * d).norm(); };
    const auto foot = [](double over, double under) { return std::clamp(over / under, -1.0, 1.0); };
    double least = kFar;
    for (const double end : {-1.0, 1.0}) {
      least = std::min(least, apart(end, foot(-e.dot(y - end * d), e.squaredNorm())));
      least = std::min(least, apart(foot(d.dot(y + end * e), d.squaredNorm()), end));
    }
    const double det = d.squaredNorm() * e.squaredNorm() - std::pow(d.dot(e), 2);
    const double s = (d.dot(y) * e.squaredNorm() - d.dot(e) * e.dot(y)) / det,
                 t = (d.dot(e) * d.dot(y) - d.squaredNorm() * e.dot(y)) / det;
    if (std::abs(s) <= 1 && std::abs(t) <= 1) least = std::min(least, apart(s, t));
    const auto found = of_capsule.nearest(Probe{.shape = Capsule{0.2, 0.6}, .position = y, .orientation = P}, kFar);
    REQUIRE(found);
    capsule = std::max(capsule, std::abs(found->distance - (least - 0.5)));

    const Vector3d local = Q.inverse() * y;
    const double aside = local.head<2>().norm() - 0.6, along = std::abs(local[2]) - 0.75;
    const double expected = aside > 0 && along > 0 ? std::hypot(aside, along) : std::max(aside, along);
    const auto round = of_cylinder.nearest(Probe{.shape = Cylinder{0.2, 0.6}, .position = y, .orientation = Q}, kFar);
    REQUIRE(round);
    cylinder = std::max(cylinder, std::abs(round->distance - expected));
  }
  CHECK(capsule < 1e-12);
  CHECK(cylinder < 1e-12);
  // Axes that cross, that lie in one line, and both shapes at one place.
  CHECK(of_capsule.nearest(Probe{.shape = Capsule{0.3, 0.8}, .orientation = Q}, kFar)->distance ==
        doctest::Approx(-0.6).epsilon(1e-14));
  CHECK(of_capsule
            .nearest(Probe{.shape = Capsule{0.2, 0.6}, .position = Q * Vector3d(0, 0, 0.5), .orientation = Q}, kFar)
            ->distance == doctest::Approx(-0.5).epsilon(1e-14));
  const Orientation across = Q * Orientation(std::sqrt(0.5), std::sqrt(0.5), 0, 0);
  CHECK(of_capsule.nearest(Probe{.shape = Capsule{0.2, 0.6}, .orientation = across}, kFar)->distance ==
        doctest::Approx(-0.5).epsilon(1e-14));
  // Here a whole circle of normals parts as well as any other.
  CHECK(of_cylinder.nearest(Probe{.shape = Cylinder{0.4, 0.9}, .orientation = Q}, kFar)->distance ==
        doctest::Approx(-0.8).epsilon(1e-5));
}

TEST_CASE("distances: planes, meshes and height fields") {
  std::mt19937 random(13);
  World world;
  world.add_fixed(Plane{});
  TriangleMesh cube = cube_mesh({1, 0.8, 0.6});
  world.add_fixed(cube, {4, 0, 2});
  HeightField flat{.heights = Eigen::MatrixXd::Constant(5, 4, 0.25), .spacing = {0.5, 0.5}};
  world.add_fixed(flat, {-6, 0, 0});
  const DistanceFinder finder(world.system);
  World solid_cube;
  solid_cube.add_fixed(Box{{1, 0.8, 0.6}}, {4, 0, 2});
  const DistanceFinder beside_box(solid_cube.system);
  double worst = 0;
  for (const Case& c : cases()) {
    for (int i = 0; i < 200; ++i) {
      const Orientation Q = random_turn(random);
      const Vector3d x = 5 * random_vector(random);
      const Probe probe{.shape = c.shape, .position = x, .orientation = Q};
      const double on_plane = x[2] - farthest(c.shape, -(Q.inverse() * Vector3d::UnitZ()));
      const Separation solid = *beside_box.nearest(probe, kFar);
      for (const Separation& s : finder.within(probe, kFar)) {
        worst = std::max(worst, (s.on_second - s.on_first - s.distance * s.normal).norm());
        if (s.collider == ColliderId(0)) worst = std::max(worst, std::abs(s.distance - on_plane));
        if (s.collider == ColliderId(1) && solid.distance > 0) {
          worst = std::max(worst, std::abs(s.distance - solid.distance));
        }
        if (s.collider == ColliderId(2) && std::abs(x[0] + 6) < 0.1 && std::abs(x[1]) < 0.1 && on_plane > 0.25) {
          worst = std::max(worst, std::abs(s.distance - (on_plane - 0.25)));
        }
      }
    }
  }
  CHECK(worst < 1e-12);
  CHECK(finder.between(ColliderId(0), ColliderId(1)).distance == doctest::Approx(1.7).epsilon(1e-14));
  CHECK(finder.between(ColliderId(2), ColliderId(0)).distance == doctest::Approx(0.25).epsilon(1e-14));
  CHECK(finder.between(ColliderId(2), ColliderId(0)).normal[2] == -1);
  // The corner of the cube above the edge of the field: (3.5, ·, 1.7) and (−5, ·, 0.25).
  CHECK(finder.between(ColliderId(1), ColliderId(2)).distance == doctest::Approx(std::hypot(8.5, 1.45)).epsilon(1e-14));
  CHECK_THROWS_WITH_AS((void)finder.between(ColliderId(0), ColliderId(0)),
                       "distance finder: expected two colliders, found 0 twice", std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)finder.between(ColliderId(0), ColliderId(9)),
                       "distance finder: expected a collider of the system, found 9", std::invalid_argument);
}

TEST_CASE("distances: the nearest of many is the least of all, filtered, on any number of threads") {
  std::mt19937 random(17);
  World world;
  const auto solids = cases();
  for (int i = 0; i < 300; ++i) {
    world.add(solids[static_cast<std::size_t>(i) % solids.size()].shape, 8 * random_vector(random),
              random_turn(random));
  }
  const DistanceFinder finder(world.system);
  std::vector<Probe> probes;
  for (int i = 0; i < 60; ++i) {
    probes.push_back({.shape = solids[static_cast<std::size_t>(i) % solids.size()].shape,
                      .position = 9 * random_vector(random),
                      .orientation = random_turn(random)});
  }
  const auto near = finder.nearest_of_each(probes, kFar), again = finder.nearest_of_each(probes, kFar, 3);
  int overlaps = 0;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const auto all = finder.within(probes[i], kFar);
    REQUIRE(all.size() == 300);
    REQUIRE(near[i]);
    CHECK(near[i]->distance == all[0].distance);
    CHECK(near[i]->collider == all[0].collider);
    CHECK(again[i]->on_second == near[i]->on_second);
    const auto touching = finder.within(probes[i], 0);
    overlaps += static_cast<int>(touching.size());
    CHECK(std::count_if(all.begin(), all.end(), [](const Separation& s) { return s.distance <= 0; }) ==
          std::ssize(touching));
    const auto other = finder.nearest(probes[i], kFar, {.without = near[i]->body});
    CHECK(other->collider == all[1].collider);
    CHECK_FALSE(finder.nearest(probes[i], kFar, {.groups = 2}));
    if (all[0].distance > 0) CHECK_FALSE(finder.nearest(probes[i], 0.999 * all[0].distance));
  }
  CHECK(overlaps > 5);
  std::vector<std::pair<ColliderId, ColliderId>> pairs;
  for (std::uint32_t i = 0; i < 299; ++i) pairs.emplace_back(i, i + 1);
  const auto one = finder.between_each(pairs, 1), four = finder.between_each(pairs, 4);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    CHECK(one[i].on_first == four[i].on_first);
    CHECK(one[i].distance == finder.between(pairs[i].first, pairs[i].second).distance);
  }
  pairs[7].second = pairs[7].first;
  CHECK_THROWS_WITH_AS((void)finder.between_each(pairs, 2),
                       "pair 7: distance finder: expected two colliders, found 7 twice", std::invalid_argument);
}

TEST_CASE("sweeps: closed forms, and where a swept shape stops it touches and did not before") {
  World world;
  world.add(Sphere{0.5}, {3, 0.3, 0});
  const BodyId ground = world.add_fixed(Plane{}, {0, 0, -5});
  const DistanceFinder finder(world.system);
  const auto hit = finder.sweep({.probe = {.shape = Sphere{0.25}}, .direction = {2, 0, 0}});
  REQUIRE(hit);
  CHECK(hit->distance == doctest::Approx(3 - std::sqrt(0.75 * 0.75 - 0.09)).epsilon(1e-13));
  CHECK(hit->collider == ColliderId(0));
  CHECK((hit->point - Vector3d(3, 0.3, 0) - 0.5 * hit->normal).norm() < 1e-12);
  CHECK_FALSE(finder.sweep({.probe = {.shape = Sphere{0.25}}, .direction = {-2, 0, 0}}));
  CHECK_FALSE(finder.sweep({.probe = {.shape = Sphere{0.25}}, .direction = {1, 0, 0}, .reach = 2.3}));
  const auto down = finder.sweep({.probe = {.shape = Box{{1, 1, 1}}}, .direction = {0.6, 0, -0.8}});
  REQUIRE(down);
  CHECK(down->body == ground);
  CHECK(down->distance == doctest::Approx(4.5 / 0.8).epsilon(1e-14));
  CHECK(down->normal == Vector3d::UnitZ());

  std::mt19937 random(19);
  const auto solids = cases();
  int met = 0;
  double worst = 0, worst_round = 0;
  std::vector<World> worlds(5);
  std::vector<DistanceFinder> finders;
  for (std::size_t k = 0; k < 5; ++k) {
    worlds[k].add(solids[k].shape, 0.3 * random_vector(random), random_turn(random));
    worlds[k].add_fixed(cube_mesh({1, 0.8, 0.6}), {0, 50, 0});
    finders.emplace_back(worlds[k].system);
  }
  for (int i = 0; i < 3000; ++i) {
    const Case& a = solids[static_cast<std::size_t>(i) % 5];
    const DistanceFinder& near = finders[static_cast<std::size_t>(i) / 5 % 5];
    const bool mesh = i % 7 == 0;
    Sweep sweep{.probe = {.shape = a.shape,
                          .position = (3 * random_vector(random)).eval(),
                          .orientation = random_turn(random)}};
    sweep.direction = 0.7 * random_vector(random) - sweep.probe.position;
    if (mesh) sweep.probe.position[1] += 50;
    const double start = near.nearest(sweep.probe, kFar)->distance;
    const auto found = near.sweep(sweep);
    if (!found) continue;
    ++met;
    const Vector3d u = sweep.direction.normalized(), from = sweep.probe.position;
    if (start <= 0) {
      worst = std::max(worst, found->distance);
      continue;
    }
    sweep.probe.position = from + found->distance * u;
    const bool round = i % 5 == 3 || i / 5 % 5 == 3;  // a cylinder
    (round ? worst_round : worst) =
        std::max(round ? worst_round : worst, std::abs(near.nearest(sweep.probe, kFar)->distance));
    for (const double part : {0.25, 0.5, 0.9, 0.999}) {
      sweep.probe.position = from + part * found->distance * u;
      if (!(near.nearest(sweep.probe, kFar)->distance > 0)) worst = 1;
    }
  }
  CHECK(met > 2000);
  CHECK(worst < 1e-11);
  CHECK(worst_round < 1e-9);
}

TEST_CASE("queries: what has no meaning is refused by name and place") {
  World world;
  world.add(Sphere{0.5});
  const DistanceFinder finder(world.system);
  const double nan = std::nan("");
  CHECK_THROWS_WITH_AS((void)finder.nearest(Vector3d(0, nan, 0), 1),
                       "point: expected finite coordinates, found (0, nan, 0)", std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)finder.nearest(Vector3d(0, 0, 0), -1), "point: expected a reach of at least 0, found -1",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)finder.nearest(Probe{.shape = Plane{}}, 1), "probe: expected a solid shape, found plane",
                       std::invalid_argument);
  CHECK_THROWS_AS((void)finder.nearest(Probe{.shape = Sphere{-1}}, 1), std::invalid_argument);
  CHECK_THROWS_AS((void)finder.nearest(Probe{.orientation = Orientation(2, 0, 0, 0)}, 1), std::invalid_argument);
  CHECK_THROWS_AS((void)finder.sweep({.probe = {.shape = Sphere{1}}, .direction = {0, 0, 0}}), std::invalid_argument);
  const std::vector<Vector3d> points{{0, 0, 0}, {0, 0, kFar}};
  CHECK_THROWS_WITH_AS((void)finder.nearest_of_each(points, 1),
                       "point 1: expected finite coordinates, found (0, 0, inf)", std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)finder.nearest_of_each(points, 1, 0),
                       "distance finder: expected at least 1 thread, found 0", std::invalid_argument);
}
