// A free asymmetric top: angular momentum over ten thousand turns, and the period of the Dzhanibekov flip beside the
// elliptic integral.
//
//   benchmark_free_top

#include <free_top.hpp>

#include <cmath>
#include <cstdio>

using namespace locdyn;
using namespace locdyn::physics;

int main() {
  constexpr int turns = 10000;
  const double error = momentum_error(turns);
  bool within = error <= 1e-12;
  std::printf("%-46s %12s %12s %10s %8s\n", "", "found", "expected", "off", "bound");
  std::printf("%-46s %12.2e %12s %10.1e %8.0e\n", "angular momentum, 10 000 turns of 100 steps", error, "kept", error,
              1e-12);
  // The error is of second order: two steps give the limit h -> 0.
  double coarse = 0;
  for (const double h : {1e-2, 5e-3, 2.5e-3, 1.25e-3}) {
    const Flip flip = flip_period(h);
    const double off = flip.period / flip.expected - 1;
    std::printf("Dzhanibekov period, %4.0f steps a turn %9s %12.7f %12.7f %10.1e", 1 / h, "", flip.period,
                flip.expected, off);
    if (coarse != 0) {
      const double limit = (4 * flip.period - coarse) / 3 / flip.expected - 1;
      std::printf("%9s   h -> 0: %.1e", "", limit);
      if (h < 2e-3) within = within && std::abs(limit) < 1e-6;
    }
    std::printf("\n");
    coarse = flip.period;
  }
  std::printf("bound on the limit of the last two: 1e-06\n");
  return within ? 0 : 1;
}
