// Newton's restitution.

#include "scene.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace locdyn::physics {
namespace {

// The heights of the first two bounces of a sphere dropped from `height` over those of Newton's law.
std::vector<double> bounces(double height, double restitution, double h) {
  constexpr double radius = 0.05;
  Scene scene({.static_friction = 0, .kinetic_friction = 0, .restitution = restitution});
  scene.add_obstacle(Plane{});
  const BodyId sphere = scene.add(Sphere{radius}, {.position = {0, 0, radius + height}});
  TimeStepper stepper(scene.system, exact(h));
  std::vector<double> ratios;
  double before = 0, highest = 0;
  while (ratios.size() < 3 && stepper.time() < 10) {
    stepper.step();
    const double velocity = scene.velocity(sphere).z();
    if (velocity < 0 && before >= 0) {  // at the top of a bounce; the first is the drop itself
      const double expected = height * std::pow(restitution, 2.0 * static_cast<double>(ratios.size()));
      ratios.push_back(highest / expected);
      highest = 0;
    }
    if (velocity >= 0) highest = std::max(highest, scene.position(sphere).z() - radius);
    before = velocity;
  }
  if (!ratios.empty()) ratios.erase(ratios.begin());
  return ratios;
}

TEST_CASE("A sphere bounces to e²ⁿ of its height, to 2 % at 1 ms and with an error of first order in h") {
  for (const double restitution : {0.5, 0.8, 1.0}) {
    for (const double h : {1e-3, 5e-4, 2.5e-4}) {
      for (const double height : {0.5, 0.7071, 1.0}) {
        CAPTURE(restitution);
        CAPTURE(h);
        CAPTURE(height);
        const std::vector<double> ratios = bounces(height, restitution, h);
        REQUIRE(ratios.size() == 2);
        for (const double ratio : ratios) CHECK(std::abs(ratio - 1) < 0.02 * h / 1e-3);
      }
    }
  }
}

TEST_CASE("Newton's cradle: one ball out for one in, with gaps wider than a step's travel") {
  constexpr double radius = 0.05, gap = 2.5e-3, speed = 1, h = 1e-3;
  Scene scene({.static_friction = 0, .kinetic_friction = 0, .restitution = 1});
  scene.system.gravity.setZero();
  std::vector<BodyId> balls;
  for (int i = 0; i < 5; ++i) balls.push_back(scene.add(Sphere{radius}, {.position = {i * (2 * radius + gap), 0, 0}}));
  scene.set_velocity(balls[0], {speed, 0, 0});
  TimeStepper stepper(scene.system, exact(h));
  run(stepper, 0.1);
  for (int i = 0; i < 4; ++i) CHECK(scene.velocity(balls[static_cast<std::size_t>(i)]).norm() < 1e-9);
  CHECK((scene.velocity(balls[4]) - Vector3d(speed, 0, 0)).norm() < 1e-9);
}

TEST_CASE("What bounces comes to rest on the floor and on others, and falls asleep") {
  constexpr double h = 1.0 / 240, edge = 0.1, drop = 0.05;
  for (const double restitution : {0.3, 0.7}) {
    CAPTURE(restitution);
    Scene scene({.static_friction = 0.5, .kinetic_friction = 0.5, .restitution = restitution});
    scene.add_obstacle(Plane{});
    std::vector<BodyId> bodies{scene.add(Sphere{edge / 2}, {.position = {-1, 0, edge / 2 + drop}})};
    for (int i = 0; i < 3; ++i) {  // a tower, each falling upon the one below
      bodies.push_back(
          scene.add(Box{{edge, edge, edge}}, {.position = {0, 0, edge / 2 + drop + i * (edge + drop / 2)}}));
    }
    TimeStepper stepper(scene.system, {.step = h, .stop = {.tolerance = 1e-6}});
    run(stepper, 3);
    CHECK(stepper.step().sleeping == bodies.size());
    CHECK(std::abs(scene.position(bodies[0]).z() - edge / 2) < 1e-4);
    CHECK(std::abs(scene.position(bodies[3]).z() - 2.5 * edge) < 1e-3);
  }
}

TEST_CASE("Where nothing pulls, the slowest impact bounces") {
  constexpr double speed = 1e-5;
  Scene scene({.static_friction = 0, .kinetic_friction = 0, .restitution = 0.5});
  scene.system.gravity.setZero();
  scene.add_obstacle(Plane{});
  const BodyId sphere = scene.add(Sphere{0.05}, {.position = {0, 0, 0.05 + 1e-7}});
  scene.set_velocity(sphere, {0, 0, -speed});
  TimeStepper stepper(scene.system, exact(1e-3));
  run(stepper, 0.1);
  CHECK(scene.velocity(sphere).z() == doctest::Approx(0.5 * speed).epsilon(1e-9));
}

}  // namespace
}  // namespace locdyn::physics
