// Static and kinetic friction on an incline: sticks at rest, slides once pushed, sticks again.

#include <cmath>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

constexpr double kStatic = 0.5, kKinetic = 0.4, kStep = 1e-3;

// A flat box on a floor whose slope, along (cos φ, sin φ), is in the direction of gravity. Down is along the slope.
struct Incline : FloorScene {
  Vector3d down;
  double a_stick, a_slide;  // [m/s²] of sliding under either coefficient
  BodyId box;

  explicit Incline(double tangent, double direction = 0)
      : FloorScene({.static_friction = kStatic, .kinetic_friction = kKinetic}),
        down(std::cos(direction), std::sin(direction), 0) {
    const double theta = std::atan(tangent);
    system.gravity = 9.81 * (std::sin(theta) * down - std::cos(theta) * Vector3d::UnitZ());
    a_stick = 9.81 * (std::sin(theta) - kStatic * std::cos(theta));
    a_slide = 9.81 * (std::sin(theta) - kKinetic * std::cos(theta));
    box = add_solid(system, Box{{1, 1, 0.2}}, {0, 0, 0.1});
  }
  [[nodiscard]] double speed() const { return down.dot(system.bodies()[box].velocity().tail<3>()); }
};

const TimeStepperOptions kOptions{.step = kStep, .stop = {.tolerance = 1e-11}};

bool all_slip(const TimeStepper& stepper, bool slips) {
  for (const ActiveContact& contact : stepper.contacts()) {
    if (contact.slips != slips) return false;
  }
  return !stepper.contacts().empty();
}

}  // namespace

TEST_CASE("between the two friction angles a box at rest stays at rest") {
  for (const double direction : {0.0, 0.5, 0.785398163397448}) {
    CAPTURE(direction);
    Incline scene(0.45, direction);
    TimeStepper stepper(scene.system, kOptions);
    for (int i = 0; i < 300; ++i) {
      const StepReport report = stepper.step();
      REQUIRE(report.largest_speed < 1e-9);
    }
    CHECK(all_slip(stepper, false));
  }
}

TEST_CASE("between the two friction angles a box that was pushed slides as kinetic friction has it") {
  for (const double direction : {0.0, 0.5, 0.785398163397448}) {
    CAPTURE(direction);
    Incline scene(0.45, direction);
    set_velocity(scene.system, scene.box, Vector3d::Zero(), 0.1 * scene.down);
    TimeStepper stepper(scene.system, kOptions);
    (void)stepper.step();
    // It stuck before: static friction holds in the first step, and it is seen to slip.
    CHECK(scene.speed() == doctest::Approx(0.1 + kStep * scene.a_stick).epsilon(1e-7));
    CHECK(all_slip(stepper, true));
    for (int i = 0; i < 200; ++i) (void)stepper.step();
    CHECK(scene.speed() == doctest::Approx(0.1 + kStep * (scene.a_stick + 200 * scene.a_slide)).epsilon(1e-7));
    CHECK(all_slip(stepper, true));
  }
}

TEST_CASE("a box that friction stops sticks again") {
  Incline scene(0.2);  // below both angles
  set_velocity(scene.system, scene.box, Vector3d::Zero(), 0.1 * scene.down);
  TimeStepper stepper(scene.system, kOptions);
  int steps = 0;
  for (; steps < 200 && !(steps > 0 && all_slip(stepper, false)); ++steps) (void)stepper.step();
  // v₀ = |a| t, to two steps.
  CHECK(std::abs(steps * kStep - 0.1 / -scene.a_slide) < 3 * kStep);
  for (int i = 0; i < 10; ++i) (void)stepper.step();
  CHECK(std::abs(scene.speed()) < 1e-10);

  // And static friction holds it: gravity turned up to between the angles moves nothing.
  const double theta = std::atan(0.45);
  scene.system.gravity = 9.81 * Vector3d(std::sin(theta), 0, -std::cos(theta));
  for (int i = 0; i < 50; ++i) (void)stepper.step();
  CHECK(std::abs(scene.speed()) < 1e-10);
}

TEST_CASE("beyond the static angle a box starts by itself") {
  Incline scene(0.55);
  TimeStepper stepper(scene.system, kOptions);
  for (int i = 0; i < 101; ++i) (void)stepper.step();
  CHECK(scene.speed() == doctest::Approx(kStep * (scene.a_stick + 100 * scene.a_slide)).epsilon(1e-6));
}
