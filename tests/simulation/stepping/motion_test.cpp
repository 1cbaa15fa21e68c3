// Loads, drives, and what a System refuses.

#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/contact/local_frame.hpp>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

TEST_CASE("a constant force accelerates as it should, and the time it is asked at is that of the step") {
  System system;
  system.gravity.setZero();
  const BodyId body = system.emplace<Particle>(2.0, Vector3d(1, 2, 3));
  std::vector<double> times;
  system.add_load([&](double t, double h, BodySet& bodies) {
    CHECK(h == 0.01);
    times.push_back(t);
    bodies[body].add_force({4, 0, 6}, Vector3d::Zero());
  });
  TimeStepper stepper(system, {.step = 0.01});
  StepReport report;
  for (int i = 0; i < 100; ++i) report = stepper.step();
  // The scheme is exact for a constant force: v = a t, x = x₀ + a t²/2.
  CHECK((system.bodies()[body].velocity() - Vector3d(2, 0, 3)).norm() < 1e-13);
  CHECK((system.bodies()[body].configuration() - Vector3d(2, 2, 4.5)).norm() < 1e-13);
  CHECK(report.momentum.isApprox(Vector3d(4, 0, 6), 1e-13));
  CHECK(report.kinetic_energy == doctest::Approx(13).epsilon(1e-13));
  CHECK(report.largest_speed == doctest::Approx(std::sqrt(13.0)).epsilon(1e-13));
  REQUIRE(times.size() == 100);
  CHECK(times.front() == 0);
  CHECK(times.back() == doctest::Approx(0.99).epsilon(1e-12));
}

TEST_CASE("two loads add up, and neither is left over for the next step") {
  System system;
  system.gravity.setZero();
  const BodyId body = system.emplace<Particle>(1.0, Vector3d::Zero());
  for (int k = 1; k <= 2; ++k) {
    system.add_load([=](double t, double, BodySet& bodies) {
      if (t == 0) bodies[body].add_force({1.0 * k, 0, 0}, Vector3d::Zero());
    });
  }
  TimeStepper stepper(system, {.step = 0.5});
  (void)stepper.step();
  CHECK(system.bodies()[body].velocity()[0] == 1.5);
  (void)stepper.step();
  CHECK(system.bodies()[body].velocity()[0] == 1.5);
}

TEST_CASE("a report's angular momentum is that of points: two planar bodies about the origin") {
  System system;
  system.gravity.setZero();
  const BodyId a = system.emplace<PlanarBody>(2.0, 0.5, Eigen::Vector2d(1, 0));
  const BodyId b = system.emplace<PlanarBody>(3.0, 0.25, Eigen::Vector2d(0, 2));
  system.bodies()[a].set_velocity(Vector3d(0, 1, 4));
  system.bodies()[b].set_velocity(Vector3d(-1, 0, -2));
  TimeStepper stepper(system, {.step = 0.01});
  const StepReport report = stepper.step();
  // x × m v of each, and J ω: 2 + 6 + 0.5·4 − 0.25·2.
  CHECK(report.angular_momentum.isApprox(Vector3d(0, 0, 9.5), 1e-12));
  CHECK(report.momentum.isApprox(Vector3d(-3, 2, 0), 1e-12));
}

TEST_CASE("an obstacle ends where its drive takes it") {
  System system;
  const BodyId obstacle = system.add(std::make_unique<Obstacle>());
  system.add_drive(obstacle, [](double t, double h) {
    return ObstacleMotion{.velocity = {(std::sin(t + h) - std::sin(t)) / h, 0, h > 0 ? 0.5 : 0},
                          .angular_velocity = {0, 0, 2}};
  });
  TimeStepper stepper(system, {.step = 1e-3});
  for (int i = 0; i < 1000; ++i) (void)stepper.step();
  const Body& body = system.bodies()[obstacle];
  CHECK((body.to_space(Vector3d::Zero()) - Vector3d(std::sin(1.0), 0, 0.5)).norm() < 1e-12);
  const Vector3d expected = Vector3d(std::sin(1.0) + std::cos(2.0), std::sin(2.0), 0.5);
  CHECK((body.to_space(Vector3d::UnitX()) - expected).norm() < 1e-12);
}

namespace {

// A box on a plank that is driven along x.
struct Conveyor {
  System system{make_bullet_detector()};
  BodyId plank, box;

  explicit Conveyor(Drive drive, double friction = 0.8) {
    system.materials.set_pair(SurfaceId{0}, SurfaceId{0}, rough(friction));
    plank = system.add(std::make_unique<Obstacle>());
    system.add_collider({.body = plank, .shape = Box{{10, 2, 0.2}}, .position = {0, 0, -0.1}});
    box = add_solid(system, Box{{0.4, 0.4, 0.2}}, {0, 0, 0.1});
    system.add_drive(plank, std::move(drive));
  }
  [[nodiscard]] double speed() const { return system.bodies()[box].velocity()[3]; }
};

}  // namespace

TEST_CASE("a plank that moves carries a box along") {
  Conveyor scene([](double t, double) { return ObstacleMotion{.velocity = {0.2 * std::sin(9 * t), 0, 0}}; });
  TimeStepper stepper(scene.system, {.step = 1e-3, .stop = {.tolerance = 1e-11}});
  for (int i = 0; i < 500; ++i) {
    const double expected = 0.2 * std::sin(9 * stepper.time());
    (void)stepper.step();
    REQUIRE(std::abs(scene.speed() - expected) < 1e-8);
  }
}

TEST_CASE("a plank that shakes to and fro between the same places still drives the box by what it does now") {
  // At q* the plank lies where it lay a step ago, with the opposite velocity, and the box hardly moves: it slides, and
  // friction pushes it to and fro by μ g h.
  constexpr double kFriction = 1e-6, kShake = 1e-3;
  Conveyor scene(
      [](double t, double h) {
        return ObstacleMotion{.velocity = {std::lround(t / h) % 2 == 0 ? 1e-3 : -1e-3, 0, 0}};
      },
      kFriction);
  TimeStepper stepper(scene.system, {.step = kShake, .stop = {.tolerance = 1e-13}});
  const double push = kFriction * 9.81 * kShake;
  for (int i = 0; i < 50; ++i) {
    (void)stepper.step();
    REQUIRE(std::abs(scene.speed() - (i % 2 == 0 ? push : 0)) < 1e-3 * push);
  }
}

TEST_CASE("a plank slower than any geometry that is taken again drives the box all the same") {
  Conveyor scene([](double t, double) { return ObstacleMotion{.velocity = {1e-9 * (1 + std::sin(40 * t)), 0, 0}}; });
  TimeStepper stepper(scene.system, {.step = 1e-3, .stop = {.tolerance = 1e-13}});
  for (int i = 0; i < 50; ++i) {
    const double expected = 1e-9 * (1 + std::sin(40 * stepper.time()));
    (void)stepper.step();
    REQUIRE(std::abs(scene.speed() - expected) < 1e-11);
  }
}

TEST_CASE("a System refuses what it cannot hold") {
  System bare;
  const BodyId particle = bare.emplace<Particle>(1.0, Vector3d::Zero());
  CHECK_THROWS_AS(bare.add_collider({.body = particle, .shape = Sphere{1}}), std::invalid_argument);
  CHECK_THROWS_AS(bare.add_drive(particle, [](double, double) { return ObstacleMotion{}; }), std::invalid_argument);
  CHECK_THROWS_AS(bare.add_drive(BodyId{7}, [](double, double) { return ObstacleMotion{}; }), std::invalid_argument);
  CHECK_THROWS_AS(bare.exclude_pair(particle, BodyId{7}), std::invalid_argument);
  CHECK_THROWS_AS(bare.add(nullptr), std::invalid_argument);

  FloorScene scene;
  CHECK(scene.system.find("floor") == scene.floor);
  CHECK(scene.system.name(scene.floor) == "floor");
  CHECK_THROWS_AS((void)scene.system.find(""), std::invalid_argument);
  CHECK_THROWS_AS((void)scene.system.find("ceiling"), std::invalid_argument);
  CHECK_THROWS_AS(scene.system.add(std::make_unique<Obstacle>(), "floor"), std::invalid_argument);
  CHECK_THROWS_AS(scene.system.add_collider({.body = scene.floor, .shape = Plane{}, .surface = SurfaceId{3}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(scene.system.add_collider({.body = BodyId{9}, .shape = Plane{}}), std::invalid_argument);
  CHECK_THROWS_AS(scene.system.add_constraint(nullptr), std::invalid_argument);
  const BodyId ball = add_solid(scene.system, Sphere{1}, {0, 0, 5});
  const auto pin = [&] { return std::make_unique<FixedPoint>(Anchor{{0, 0, 5}, ball}); };
  const ConstraintId pinned = scene.system.add_constraint(pin(), "pin");
  CHECK(pinned == scene.system.constraints().at(0));
  CHECK_THROWS_AS(scene.system.add_constraint(pin(), "pin"), std::invalid_argument);
  CHECK(scene.system.constraint_name(0) == "pin");
  CHECK(scene.system.constraints().size() == 1);
}
