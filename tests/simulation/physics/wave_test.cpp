// The domino wave, shortened: twenty dominoes, coarse steps.

#include <doctest/doctest.h>

#include "experiments/domino_wave.hpp"

namespace locdyn::physics {
namespace {

TEST_CASE("A row of dominoes falls at the speed of the leaning train, to 15 %") {
  DominoRow row;
  row.count = 20;
  row.spacing = 0.4 * row.height;
  const DominoWave wave = simulate_domino_wave(row, {.step = 1e-3, .stop = {.tolerance = 1e-6}});
  CHECK(wave.failed == 0);
  CHECK(wave.speed == doctest::Approx(leaning_wave_speed(row)).epsilon(0.15));
}

TEST_CASE("The speed of the leaning train has the scale of the square root of g L") {
  DominoRow row, larger{.height = 4 * row.height, .thickness = 4 * row.thickness, .spacing = 4 * row.spacing};
  CHECK(leaning_wave_speed(larger) == doctest::Approx(2 * leaning_wave_speed(row)));
}

}  // namespace
}  // namespace locdyn::physics
