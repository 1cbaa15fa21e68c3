// Energy where nothing may add any (e = 0, no springs, no drive): its largest rise over what was released.
//
//   benchmark_energy

#include <energy.hpp>

#include <cstdio>

using namespace locdyn;
using namespace locdyn::physics;

// Halving the step divides what an impact adds by four, and by what the next order leaves of that: dominoes from 2 ms
// to 0.125 ms 3.92, 3.88, 3.98 and 3.97, at a tolerance of 1e-10 the same.
constexpr double kLeastRatio = 3.7;

int main() {
  constexpr double duration = 1.5, tolerance = 1e-8, most = 1e-5, most_at_rest = 1e-9;
  bool within = true;
  std::printf(
      "growth: largest rise of kinetic + potential energy less what position correction added, over the kinetic\n"
      "energy at start + potential energy released; tolerance %.0e; bounds: growth <= %.0e at 1 ms and of second\n"
      "order, at least %.1f times less at half the step, at rest (speed < 1e-6 m/s) <= %.0e\n",
      tolerance, most, kLeastRatio, most_at_rest);
  std::printf("%-9s %8s %9s %10s %9s %9s %9s %6s %7s\n", "example", "h", "growth", "with corr.", "at end", "corrected",
              "speed", "ratio", "failed");
  for (const Falling example : {Falling::pile, Falling::stack, Falling::arch, Falling::dominoes}) {
    double before = 0;
    for (const double h : {1e-3, 5e-4}) {
      const EnergyBalance b = balance_of(example, duration, {.step = h, .stop = {.tolerance = tolerance}});
      const bool settled = b.speed < 1e-6;
      if (h == 1e-3) within = within && b.growth <= most;
      if (h < 1e-3) within = within && (b.growth <= before / kLeastRatio || b.growth <= most_at_rest);
      if (settled) within = within && b.growth_at_end <= most_at_rest;
      std::printf("%-9s %8.1e %9.1e %10.1e %9.1e %9.1e %9.1e", name_of(example), h, b.growth, b.growth_as_it_is,
                  b.growth_at_end, b.corrected, b.speed);
      if (before > 0) {
        std::printf(" %6.2f", before / b.growth);
      } else {
        std::printf(" %6s", "");
      }
      std::printf(" %7d\n", b.failed);
      std::fflush(stdout);
      before = b.growth;
    }
  }
  return within ? 0 : 1;
}
