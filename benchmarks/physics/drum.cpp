// Angle of repose in a slowly turning drum for three coefficients of friction: it grows by more than its scatter.
//
//   benchmark_drum

#include <drum.hpp>

#include <cstdio>

using namespace locdyn;
using namespace locdyn::physics;

int main() {
  constexpr double h = 4e-3, tolerance = 1e-3;
  bool grows = true;
  Repose before;
  std::printf("drum of radius 0.3 m at 1 rad/s, second half of 6 s, h = %.0e s, solver nsgs to %.0e\n", h, tolerance);
  std::printf("%8s %7s %8s %8s %22s %7s\n", "friction", "grains", "degrees", "scatter", "more than before by",
              "failed");
  for (const double friction : {0.2, 0.4, 0.6}) {
    const Repose repose = angle_of_repose({.friction = friction}, {.step = h, .solver = "nsgs", .tolerance = tolerance});
    std::printf("%8.1f %7d %8.2f %8.2f", friction, repose.grains, repose.mean, repose.deviation);
    if (before.grains > 0) {
      const double scatter = std::max(before.deviation, repose.deviation), more = repose.mean - before.mean;
      grows = grows && more > scatter;
      std::printf(" %9.2f (expected > %.2f)", more, scatter);
    } else {
      std::printf(" %22s", "");
    }
    std::printf(" %7d\n", repose.failed);
    std::fflush(stdout);
    before = repose;
  }
  return grows ? 0 : 1;
}
