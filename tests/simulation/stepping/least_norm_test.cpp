// Reactions of least norm step by step: which islands have none. That they are steady is told in physics/rest_test.cpp.

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

TimeStepperOptions least(double tolerance) {
  return {.step = 1e-3, .stop = {.tolerance = tolerance}, .least_norm = true, .sleep = false};
}

}  // namespace

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
