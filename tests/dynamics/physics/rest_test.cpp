// Nothing creeps: what stands is at rest to the solver's tolerance and stays where it is.

#include "scene.hpp"

#include <cmath>
#include <vector>

namespace locdyn::physics {
namespace {

constexpr double kStep = 1e-2;

// The farthest that any body goes between 5 s and 60 s; the speeds at 5 s go to `speed`.
double way_after_five_seconds(Scene& scene, const std::vector<BodyId>& bodies, double& speed) {
  TimeStepper stepper(scene.system, exact(kStep));
  speed = run(stepper, 5);
  std::vector<Vector3d> before;
  for (const BodyId id : bodies) before.push_back(scene.position(id));
  run(stepper, 60);
  double way = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) way = std::max(way, (scene.position(bodies[i]) - before[i]).norm());
  return way;
}

TEST_CASE("A stack of ten boxes under a thousand times their weight does not creep") {
  Scene scene({.static_friction = 0.5, .kinetic_friction = 0.5, .restitution = 0});
  scene.add_obstacle(Plane{});
  std::vector<BodyId> boxes;
  for (int i = 0; i < 11; ++i) {
    const double density = i == 10 ? 1000 * kDensity : kDensity;
    boxes.push_back(scene.add(Box{{0.2, 0.2, 0.1}}, {.position = {0, 0, 0.05 + 0.1 * i}}, density));
  }
  double speed = 0;
  const double way = way_after_five_seconds(scene, boxes, speed);
  CHECK(speed < 1e-9);
  CHECK(way < 1e-8);
}

TEST_CASE("A box on an incline at 98 % of the friction angle does not creep") {
  Scene scene({.static_friction = 0.5, .kinetic_friction = 0.5, .restitution = 0});
  const Orientation tilt(Eigen::AngleAxisd(0.98 * std::atan(0.5), Vector3d::UnitY()));
  scene.add_obstacle(Plane{}, {.orientation = tilt});
  const BodyId box = scene.add(Box{{0.3, 0.2, 0.1}}, {.position = tilt * Vector3d(0, 0, 0.05), .orientation = tilt});
  double speed = 0;
  const double way = way_after_five_seconds(scene, {box}, speed);
  CHECK(speed < 1e-9);
  CHECK(way < 1e-8);
}

TEST_CASE("A small wall comes to rest; at the default tolerance it stays below 1e-7 m/s") {
  for (const double tolerance : {1e-11, 1e-8}) {
    CAPTURE(tolerance);
    Scene scene({.static_friction = 0.6, .kinetic_friction = 0.6, .restitution = 0});
    scene.add_obstacle(Plane{});
    for (int course = 0; course < 6; ++course) {
      for (int i = 0; i < 5; ++i) {
        scene.add(Box{{0.218, 0.11, 0.07}}, {.position = {0.22 * i + 0.11 * (course % 2), 0, 0.07 * (course + 0.5)}});
      }
    }
    TimeStepper stepper(scene.system, {.step = kStep, .tolerance = tolerance});
    CHECK(run(stepper, 5) < (tolerance < 1e-10 ? 1e-9 : 1e-7));
  }
}

}  // namespace
}  // namespace locdyn::physics
