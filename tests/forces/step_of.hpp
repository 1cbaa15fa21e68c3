#pragma once
// How the tests of forces step.

#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn {

inline TimeStepperOptions step_of(double h) {
  TimeStepperOptions options;
  options.step = h;
  options.stop.tolerance = 1e-11;
  return options;
}

}  // namespace locdyn
