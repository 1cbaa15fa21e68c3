// Rays against every shape: hits beside those of marching by exact distances, surfaces without holes, filters, many
// rays on threads, what has moved or gone, and rays without meaning.

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <locdyn/queries/ray_caster.hpp>
#include <random>
#include <stdexcept>
#include <vector>

#include "query_world.hpp"

using namespace locdyn;
using Eigen::Vector3d;

namespace {

// Steps by what is free around the ray's head: no line of the closed forms. Infinite where it passes by.
double marched(const Distance& distance, const Vector3d& origin, const Vector3d& u) {
  double t = 0;
  for (int step = 0; step < 20'000 && t < 10; ++step) {
    const double d = distance(origin + t * u);
    if (d <= 1e-14) return t;
    t += d;
  }
  return t < 10 ? t : std::numeric_limits<double>::infinity();
}

}  // namespace

TEST_CASE("rays: every solid is met where marching by exact distances meets it, turned and moved at random") {
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    std::mt19937 random(5);
    World world;
    const Orientation Q = Orientation(0.3, -0.5, 0.7, 0.2).normalized();
    const Vector3d x(3, -2, 1);
    world.add(c.shape, x, Q);
    const RayCaster rays(world.system);
    const Distance distance = [&](const Vector3d& p) { return c.distance(Q.inverse() * (p - x)); };
    int hits = 0, wrong = 0;
    for (int i = 0; i < 20'000; ++i) {
      const Vector3d origin = x + 2 * random_vector(random),
                     u = (x + 0.6 * random_vector(random) - origin).normalized();
      const double expected = marched(distance, origin, u);
      const auto hit = rays.first({.origin = origin, .direction = 3 * u});
      if (!hit) {
        // A ray that grazes may be told either way.
        wrong += std::isfinite(expected) && distance(origin + (expected + 1e-4) * u) < -1e-7;
        continue;
      }
      ++hits;
      if (hit->distance == 0) {
        wrong += distance(origin) > 1e-12 || (hit->normal + u).norm() > 1e-12;
        continue;
      }
      wrong += std::abs(distance(hit->point)) > 1e-12 || hit->distance > expected + 1e-6;
      wrong += (hit->point - origin - hit->distance * u).norm() > 1e-12;
      wrong += std::abs(hit->normal.norm() - 1) > 1e-12 || hit->normal.dot(u) > 1e-7;
      // The normal is the slope of the distance.
      const double e = 1e-6;
      wrong += std::abs(distance(hit->point + e * hit->normal) - e) > 1e-9;
    }
    CHECK(hits > 5000);
    CHECK(wrong == 0);
  }
}

TEST_CASE("rays: closed forms, from near and from a thousand sizes away") {
  World world;
  world.add(Sphere{1});
  world.add_fixed(Plane{}, {0, 0, -2});
  const RayCaster rays(world.system);
  for (const double away : {2.0, 1e3}) {
    const auto ball = rays.first({.origin = {-away, 0.6, 0}, .direction = {1, 0, 0}});
    REQUIRE(ball);
    CHECK(ball->distance == doctest::Approx(away - 0.8).epsilon(1e-15));
    CHECK((ball->point - Vector3d(-0.8, 0.6, 0)).norm() <= 1e-12);
    CHECK((ball->normal - Vector3d(-0.8, 0.6, 0)).norm() <= 1e-12);
    const auto ground = rays.first({.origin = {3, 0, away}, .direction = {0.3, 0, -0.4}});
    REQUIRE(ground);
    CHECK(ground->distance == doctest::Approx((away + 2) / 0.8).epsilon(1e-15));
    CHECK(ground->normal == Vector3d(0, 0, 1));
  }
  CHECK(!rays.first({.origin = {0, 0, 5}, .direction = {0, 0, 1}}));
  CHECK(!rays.first({.origin = {-3, 0, 0}, .direction = {1, 0, 0}, .reach = 1.999}));
  CHECK(rays.first({.origin = {-3, 0, 0}, .direction = {1, 0, 0}, .reach = 2.001}));
  const auto below = rays.first({.origin = {5, 0, -3}, .direction = {1, 0, 0}});
  REQUIRE(below);  // a half-space is solid
  CHECK(below->distance == 0);
}

TEST_CASE("rays: a surface has no holes at edges and corners, and its slope is that of its field") {
  World world;
  TriangleMesh cube{{},
                    {{0, 3, 1},
                     {0, 2, 3},
                     {4, 5, 7},
                     {4, 7, 6},
                     {0, 1, 5},
                     {0, 5, 4},
                     {2, 7, 3},
                     {2, 6, 7},
                     {0, 6, 2},
                     {0, 4, 6},
                     {1, 3, 7},
                     {1, 7, 5}}};
  for (int k = 0; k < 8; ++k) cube.vertices.emplace_back(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
  world.add_fixed(cube);
  HeightField slope{Eigen::MatrixXd(30, 20), {0.1, 0.2}};
  for (int i = 0; i < 30; ++i) {
    for (int j = 0; j < 20; ++j) slope.heights(i, j) = 0.5 * (0.1 * i - 1.45) - 0.25 * (0.2 * j - 1.9);
  }
  world.add_fixed(slope, {0, 0, -10});
  const RayCaster rays(world.system);
  int missed = 0;
  for (int i = -8; i <= 8; ++i) {  // from inside at corners, edges and diagonals
    for (int j = -8; j <= 8; ++j) {
      for (const Vector3d& to :
           {Vector3d(1, i / 8.0, j / 8.0), Vector3d(i / 8.0, -1, j / 8.0), Vector3d(i / 8.0, j / 8.0, 1)}) {
        const auto hit = rays.first({.direction = to});
        missed += !hit || (hit->point - to).norm() > 1e-12 || hit->normal.dot(to) >= 0;
      }
    }
  }
  CHECK(missed == 0);
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    const Vector3d p = random_vector(random);
    const auto hit = rays.first({.origin = {1.4 * p[0], 1.8 * p[1], -5}, .direction = {0, 0, -1}});
    REQUIRE(hit);
    CHECK(hit->point[2] == doctest::Approx(-10 + 0.5 * 1.4 * p[0] - 0.25 * 1.8 * p[1]).epsilon(1e-12));
    CHECK((hit->normal - Vector3d(-0.5, 0.25, 1).normalized()).norm() <= 1e-9);
    const auto under = rays.first({.origin = {1.4 * p[0], 1.8 * p[1], -15}, .direction = {0, 0, 1}});
    REQUIRE(under);
    CHECK(under->normal[2] < 0);
  }
}

TEST_CASE("rays: of many shapes the first, all of them in order, by groups, and those of threads are the same") {
  World world;
  std::mt19937 random(9);
  std::vector<BodyId> bodies;
  std::vector<Vector3d> places;
  for (int i = 0; i < 500; ++i) {
    places.push_back(10 * random_vector(random));
    bodies.push_back(world.add(Sphere{0.3}, places.back()));
  }
  const RayCaster rays(world.system);
  std::vector<Ray> many;
  for (int i = 0; i < 3000; ++i)
    many.push_back({.origin = 12 * random_vector(random), .direction = random_vector(random)});
  const auto one = rays.first_of_each(many), two = rays.first_of_each(many, 2);
  int hits = 0;
  for (std::size_t i = 0; i < many.size(); ++i) {
    // By looking at every ball.
    std::vector<std::pair<double, std::size_t>> expected;
    const Vector3d u = many[i].direction.normalized();
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Vector3d to = places[k] - many[i].origin;
      const double along = to.dot(u), miss2 = (to - along * u).squaredNorm();
      if (to.norm() <= 0.3) {
        expected.emplace_back(0, k);
      } else if (miss2 < 0.09 && along > 0) {
        expected.emplace_back(along - std::sqrt(0.09 - miss2), k);
      }
    }
    std::sort(expected.begin(), expected.end());
    const auto all = rays.all(many[i]);
    REQUIRE(all.size() == expected.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      CHECK(all[k].body == bodies[expected[k].second]);
      CHECK(std::abs(all[k].distance - expected[k].first) <= 1e-9);
    }
    REQUIRE(one[i].has_value() == !all.empty());
    REQUIRE(two[i].has_value() == one[i].has_value());
    if (!one[i]) continue;
    ++hits;
    CHECK(one[i]->collider == all[0].collider);
    CHECK(two[i]->distance == one[i]->distance);
    CHECK(two[i]->point == one[i]->point);
  }
  CHECK(hits > 300);
}

TEST_CASE("rays: filters, shapes that move and go, and an empty system") {
  World world;
  const BodyId ball = world.add(Sphere{0.5}, {2, 0, 0});
  const BodyId wall = world.system.add(std::make_unique<Obstacle>());
  world.system.add_collider({.body = wall, .shape = Box{{1, 1, 1}}, .position = {4, 0, 0}, .groups = 2});
  RayCaster rays(world.system);
  const Ray ray{.direction = {1, 0, 0}};
  CHECK(rays.first(ray)->body == ball);
  CHECK(rays.first(ray, {.groups = 2})->body == wall);
  CHECK(rays.first(ray, {.without = ball})->body == wall);
  CHECK(!rays.first(ray, {.groups = 4}));
  world.system.bodies()[ball].set_configuration((Eigen::VectorXd(7) << 2, 3, 0, 1, 0, 0, 0).finished());
  rays.update();
  CHECK(rays.first(ray)->body == wall);
  world.system.remove(wall);
  rays.update();
  CHECK(!rays.first(ray));
  CHECK(rays.all(ray).empty());
  const System empty;
  CHECK(!RayCaster(empty).first(ray));
}

TEST_CASE("rays: without a length, a place or a meaning they are refused by their number") {
  World world;
  world.add(Sphere{0.5});
  const RayCaster rays(world.system);
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS((void)rays.first({.direction = {0, 0, 0}}),
                       "ray: expected a direction of finite length > 0, found (0, 0, 0)", std::invalid_argument);
  CHECK_THROWS_AS((void)rays.first({.direction = {infinite, 0, 0}}), std::invalid_argument);
  CHECK_THROWS_AS((void)rays.all({.origin = {nan, 0, 0}}), std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)rays.first({.reach = -1}), "ray: expected a reach of at least 0, found -1",
                       std::invalid_argument);
  CHECK_THROWS_AS((void)rays.first({.reach = nan}), std::invalid_argument);
  const std::vector<Ray> many{{}, {.direction = {0, nan, 0}}};
  CHECK_THROWS_WITH_AS((void)rays.first_of_each(many),
                       "ray 1: expected a direction of finite length > 0, found (0, nan, 0)", std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)rays.first_of_each(many, 0), "ray caster: expected at least 1 thread, found 0",
                       std::invalid_argument);
  // The smallest and the largest lengths are directions.
  CHECK(rays.first({.origin = {-2, 0, 0}, .direction = {1e-300, 0, 0}})->distance == doctest::Approx(1.5));
  CHECK(rays.first({.origin = {-2, 0, 0}, .direction = {1e300, 0, 0}})->distance == doctest::Approx(1.5));
}
