// Angle of repose in a slowly turning drum for three coefficients of friction. A drum's angle is the mean over its
// avalanches; it grows by more than the scatter among drums that are filled with other grains.
//
//   benchmark_drum [--drums N] [--duration SECONDS]

#include <drum.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace locdyn;
using namespace locdyn::physics;

namespace {

struct Angle {
  double mean = 0, scatter = 0;  // of the drums' angles [degrees]
  double avalanches = 0;         // mean deviation of a drum's angle in time [degrees]
  int grains = 0, failed = 0;
};

Angle measure(double friction, int drums, double duration, const TimeStepperOptions& options) {
  Angle angle;
  double sum = 0, squares = 0;
  for (int seed = 1; seed <= drums; ++seed) {
    const Repose repose = angle_of_repose(
        {.friction = friction, .depth = 0.09, .grain = 0.03, .duration = duration, .seed = static_cast<unsigned>(seed)},
        options);
    sum += repose.mean;
    squares += repose.mean * repose.mean;
    angle.avalanches += repose.deviation / drums;
    angle.grains = repose.grains;
    angle.failed += repose.failed;
  }
  angle.mean = sum / drums;
  angle.scatter = std::sqrt(std::max(0.0, squares - drums * angle.mean * angle.mean) / (drums - 1));
  return angle;
}

}  // namespace

int main(int argc, char** argv) {
  int drums = 3;
  double duration = 8;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--drums") == 0) drums = std::max(2, std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--duration") == 0) duration = std::atof(argv[i + 1]);
  }
  constexpr double h = 4e-3, tolerance = 1e-3;
  bool grows = true;
  Angle before;
  std::printf("%d drums of radius 0.3 m at 1 rad/s, second half of %g s, h = %.0e s, solver nsgs to %.0e\n", drums,
              duration, h, tolerance);
  std::printf("%8s %7s %8s %8s %8s %22s %7s\n", "friction", "grains", "degrees", "scatter", "in time",
              "more than before by", "failed");
  for (const double friction : {0.2, 0.4, 0.6}) {
    const Angle angle =
        measure(friction, drums, duration, {.step = h, .solver = "nsgs", .stop = {.tolerance = tolerance}});
    std::printf("%8.1f %7d %8.2f %8.2f %8.2f", friction, angle.grains, angle.mean, angle.scatter, angle.avalanches);
    if (before.grains > 0) {
      const double scatter = std::max(before.scatter, angle.scatter), more = angle.mean - before.mean;
      grows = grows && more > scatter;
      std::printf(" %9.2f (expected > %.2f)", more, scatter);
    } else {
      std::printf(" %22s", "");
    }
    std::printf(" %7d\n", angle.failed);
    std::fflush(stdout);
    before = angle;
  }
  return grows ? 0 : 1;
}
