#include "grip.hpp"

#include <cmath>
#include <cstdio>
#include <exception>

#include "../measure.hpp"

namespace locdyn::peers {
namespace {

constexpr int kBlock = 1;
constexpr double kLost = 0.1;  // it has left the jaws [m]

void print_slide(const Scene& scene, const EngineMaker& make, int settle, int steps) {
  try {
    const EnginePtr engine = make(scene);
    const auto height = [&engine] { return engine->state(kBlock).position.z(); };
    for (int i = 0; i < settle; ++i) engine->step();
    const double start = height(), clock = benchmark::thread_seconds_now();
    int done = 0;
    while (done < steps && start - height() < kLost) {
      engine->step();
      ++done;
    }
    const double spent = benchmark::thread_seconds_now() - clock;
    std::printf("%-46s %12.1e %12.4f", engine->name().c_str(), start - height(), 1e3 * spent / done);
    std::printf(done < steps ? "  lost after %.1f s\n" : "\n", done * scene.h);
  } catch (const std::exception& fault) {
    std::printf("%s\n", fault.what());
  }
  std::fflush(stdout);
}

}  // namespace

void print_grip(const std::vector<EngineMaker>& makers, double seconds) {
  const Scene scene = grip();
  const int settle = static_cast<int>(std::lround(kGripPeriod / scene.h));
  const int steps = settle * static_cast<int>(std::lround(seconds / kGripPeriod));
  std::printf("\ngrip: at 98 %% of what friction bears, shaken for %.0f s, h = 1/%.0f s\n", steps * scene.h,
              1 / scene.h);
  std::printf("%-46s %12s %12s\n", "engine", "slide [m]", "ms/step");
  for (const EngineMaker& make : makers) print_slide(scene, make, settle, steps);
}

}  // namespace locdyn::peers
