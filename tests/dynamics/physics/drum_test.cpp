// Repose in a drum, shortened: few grains, little time, far apart coefficients.

#include <doctest/doctest.h>

#include "experiments/drum.hpp"

namespace locdyn::physics {
namespace {

TEST_CASE("Grains rise higher in a drum the more friction they have") {
  Drum drum{.depth = 0.07, .grain = 0.065, .duration = 2.5};
  const TimeStepperOptions options{.step = 4e-3, .solver = "auto", .tolerance = 1e-3};
  drum.friction = 0.1;
  const Repose smooth = angle_of_repose(drum, options);
  drum.friction = 0.6;
  const Repose rough = angle_of_repose(drum, options);
  CAPTURE(smooth.mean);
  CAPTURE(rough.mean);
  CHECK(smooth.failed + rough.failed == 0);
  CHECK(rough.mean > smooth.mean + std::max(smooth.deviation, rough.deviation));
}

}  // namespace
}  // namespace locdyn::physics
