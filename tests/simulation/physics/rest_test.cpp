// Nothing creeps: what stands is at rest to the solver's tolerance and stays where it is.

#include <doctest/doctest.h>

#include "experiments/creep.hpp"
#include "experiments/steady_forces.hpp"

namespace locdyn::physics {
namespace {

constexpr double kStep = 1e-2, kTight = 1e-11;

TEST_CASE("A stack of ten boxes under a thousand times their weight does not creep") {
  Scene scene({.static_friction = 0.5, .kinetic_friction = 0.5});
  add_loaded_stack(scene, 1000);
  const Creep creep = creep_of(scene, 60, {.step = kStep, .stop = {.tolerance = kTight}});
  CHECK(creep.failed == 0);
  CHECK(creep.speed < 1e-9);
  CHECK(creep.way < 1e-8);
}

TEST_CASE("A box on an incline at 98 % of the friction angle does not creep") {
  Scene scene({.static_friction = 0.5, .kinetic_friction = 0.5});
  add_incline(scene, 0.98);
  const Creep creep = creep_of(scene, 60, {.step = kStep, .stop = {.tolerance = kTight}});
  CHECK(creep.failed == 0);
  CHECK(creep.speed < 1e-9);
  CHECK(creep.way < 1e-8);
}

TEST_CASE("A small wall comes to rest, at the default tolerance it stays below 1e-7 m/s") {
  for (const double tolerance : {kTight, TimeStepperOptions{}.stop.tolerance}) {
    CAPTURE(tolerance);
    Scene scene({.static_friction = 0.6, .kinetic_friction = 0.6});
    add_wall(scene, {.courses = 6, .bricks = 5});
    const Creep creep = creep_of(scene, 8, {.step = kStep, .stop = {.tolerance = tolerance}});
    CHECK(creep.failed_at_rest == 0);
    CHECK(creep.speed < (tolerance == kTight ? 1e-9 : 1e-7));
  }
}

TEST_CASE(
    "A wall of 140 bricks at long steps keeps no more speed than its tolerance, whether its bricks touch or not") {
  for (const double joint : {Wall{}.joint, 0.0}) {
    CAPTURE(joint);
    Scene scene({.static_friction = 0.6, .kinetic_friction = 0.6});
    add_wall(scene, {.courses = 14, .bricks = 10, .joint = joint});
    const Creep creep = creep_of(scene, 7, {.step = 2.5e-2, .stop = {.tolerance = 1e-8}});
    CHECK(creep.failed == 0);
    CHECK(creep.speed < 3e-8);  // 6e-8 where sweeps alone settle it
  }
}

TEST_CASE("least norm: forces of a table and of a wall of 100 bricks at rest stay as they are") {
  for (const bool table : {true, false}) {
    CAPTURE(table);
    Scene scene({.static_friction = 0.6, .kinetic_friction = 0.6});
    if (table) {
      add_table(scene);
    } else {
      add_wall(scene, {.courses = 10, .bricks = 10});
    }
    TimeStepper stepper(scene.system, with_least_norm(1e-3, 1e-12));
    const SteadyForces forces = steady_forces(stepper, table ? 20 : 100, table ? 100 : 50);
    CHECK(forces.contacts == (table ? 4 : 760));
    CHECK(forces.same);
    CHECK(forces.failed == 0);
    CHECK(forces.change <= 1e-9);
    if (!table) continue;
    const double weight = 100 * 0.1 * kGravity;  // those of the pseudo-inverse: each leg presses with its share
    for (const ActiveContact& leg : stepper.contacts()) {
      CHECK(leg.reaction[2] == doctest::Approx(weight / 4).epsilon(1e-9));
      CHECK(leg.reaction.head<2>().norm() <= 1e-7 * weight);
    }
  }
}

}  // namespace
}  // namespace locdyn::physics
