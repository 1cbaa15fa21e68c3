// Speed of the wave in a row of dominoes for three spacings, beside Stronge's theory.
//
//   benchmark_domino_wave

#include <domino_wave.hpp>

#include <cmath>
#include <cstdio>

using namespace locdyn;
using namespace locdyn::physics;

int main() {
  constexpr double bound = 0.15, h = 5e-4;
  bool within = true;
  std::printf("40 dominoes of 48 x 24 x 7.5 mm, h = %.1e s, tolerance 1e-6; speeds in m/s\n", h);
  std::printf("%10s %9s %9s %9s %7s %7s %7s\n", "spacing/L", "simulated", "leaning", "single", "off", "bound",
              "failed");
  for (const double spacing : {0.25, 0.4, 0.6}) {
    DominoRow row;
    row.spacing = spacing * row.height;
    const DominoWave wave = simulate_domino_wave(row, {.step = h, .stop = {.tolerance = 1e-6}});
    const double expected = leaning_wave_speed(row), off = wave.speed / expected - 1;
    within = within && std::abs(off) <= bound;
    std::printf("%10.2f %9.4f %9.4f %9.4f %6.1f%% %6.0f%% %7d\n", spacing, wave.speed, expected, single_wave_speed(row),
                100 * off, 100 * bound, wave.failed);
    std::fflush(stdout);
  }
  return within ? 0 : 1;
}
