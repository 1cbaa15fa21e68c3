// Repose in a drum, shortened: few grains, little time, far apart coefficients.

#include <doctest/doctest.h>

#include "experiments/drum.hpp"

namespace locdyn::physics {
namespace {

TEST_CASE("Grains rise higher in a drum the more friction they have") {
  Drum drum{.depth = 0.06, .grain = 0.055, .spin = 0.8, .duration = 3};
  const TimeStepperOptions options{.step = 4e-3, .solver = "auto", .stop = {.tolerance = 1e-3}};
  drum.friction = 0;
  const Repose smooth = angle_of_repose(drum, options);
  drum.friction = 0.6;
  const Repose rough = angle_of_repose(drum, options);
  CAPTURE(smooth.mean);
  CAPTURE(smooth.deviation);
  CAPTURE(rough.mean);
  CHECK(smooth.failed + rough.failed == 0);
  CHECK(rough.mean > smooth.mean + 3);  // degrees; the mean of a short run has the scatter of few grains
}

}  // namespace
}  // namespace locdyn::physics
