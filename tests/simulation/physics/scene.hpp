#pragma once
// What the physics tests have in common: a scene, and steps that must converge.

#include <doctest/doctest.h>

#include "bodies_in_scene.hpp"

namespace locdyn::physics {

/// Solved far below what the tests look at.
[[nodiscard]] inline TimeStepperOptions exact(double h) {
  return {.step = h, .stop = {.tolerance = 1e-11}};
}

/// Steps to the time t; every step must converge. The largest speed of any body at the end of the last step [m/s].
inline double run(TimeStepper& stepper, double t) {
  double speed = 0;
  while (stepper.time() < t - 0.5 * stepper.options().step) {
    const StepReport report = stepper.step();
    CHECK_MESSAGE(report.status == SolveStatus::converged, report.warning);
    speed = report.largest_speed;
  }
  return speed;
}

}  // namespace locdyn::physics
