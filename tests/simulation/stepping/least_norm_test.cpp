// Reactions of least norm step by step: the forces of what rests stay as they are, and are those of the pseudo-inverse.

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

TimeStepperOptions least(double tolerance) {
  return {.step = 1e-3, .stop = {.tolerance = tolerance}, .least_norm = true, .sleep = false};
}

// Steps, then the largest change of any reaction over `steps` more, as a share of the largest.
double largest_change(TimeStepper& stepper, int before, int steps) {
  for (int i = 0; i < before; ++i) REQUIRE(!stepper.step().failed());
  const std::vector<ActiveContact> first = stepper.contacts();
  double size = 0, change = 0;
  for (const ActiveContact& contact : first) size = std::max(size, contact.reaction.norm());
  for (int i = 0; i < steps; ++i) {
    const StepReport report = stepper.step();
    REQUIRE(!report.failed());
    CHECK(report.not_least_norm == 0);
    const std::vector<ActiveContact> now = stepper.contacts();
    REQUIRE(now.size() == first.size());
    for (std::size_t k = 0; k < now.size(); ++k) {
      REQUIRE(now[k].identity == first[k].identity);
      change = std::max(change, (now[k].reaction - first[k].reaction).norm());
    }
  }
  return change / size;
}

}  // namespace

TEST_CASE("least norm: a table on four legs presses each with its share, step after step") {
  FloorScene scene(rough(0.5));
  const BodyId table =
      scene.system.add(std::make_unique<RigidBody>(mass_properties(Box{{1, 1, 0.1}}, 10), Vector3d(0, 0, 0.5)));
  for (const double x : {-0.4, 0.4}) {
    for (const double y : {-0.4, 0.4}) {
      scene.system.add_collider({.body = table, .shape = Sphere{0.05}, .position = {x, y, -0.45}});
    }
  }
  TimeStepper stepper(scene.system, least(1e-12));
  CHECK(largest_change(stepper, 20, 100) <= 1e-9);
  const double weight = 10 * 0.1 * 9.81;
  const std::vector<ActiveContact> legs = stepper.contacts();
  REQUIRE(legs.size() == 4);
  for (const ActiveContact& leg : legs) {
    CHECK(leg.reaction[2] == doctest::Approx(weight / 4).epsilon(1e-9));
    CHECK(leg.reaction.head<2>().norm() <= 1e-7 * weight);
  }
}

TEST_CASE("least norm: islands whose laws have no such reactions say so, and are solved") {
  PairMaterial rolls = rough(0.5);
  rolls.rolling = 0.01;
  FloorScene scene(rolls);
  add_solid(scene.system, Sphere{0.5}, {0, 0, 0.5});
  TimeStepper stepper(scene.system, least(1e-10));
  const StepReport report = stepper.step();
  CHECK(!report.failed());
  CHECK(report.not_least_norm == 1);
}
