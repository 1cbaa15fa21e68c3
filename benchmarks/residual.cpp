// What judging costs: the full residual against one projected sweep's row products on the same graph, in one run.
//
//   benchmark_residual        prints one line a graph

#include <cstdio>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/ldy/row_product.hpp>

#include "measure.hpp"
#include "synthetic_graph.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::benchmark;

void measure(const char* name, LocalDynamics ldy, int rounds, int repeats) {
  const auto products = [&] {
    for (DiagonalBlock& row : ldy.rows()) row.U = row.B + row_product(ldy, row);
  };
  double scaled = 0;
  const std::array<std::function<void()>, 3> work = {products, [&] { scaled = evaluate_residual(ldy, 1).scaled; },
                                                     [&] { keep(evaluate_residual(ldy, 2)); }};
  const auto [sweep, one, two] = best_times(work, rounds, repeats);
  std::printf(
      "%-12s %8zu rows %9zu blocks | products %8.1f µs, residual %8.1f = %.2f × products, 2 threads %8.1f | "
      "residual %.17g\n",
      name, ldy.row_count(), ldy.off_diagonal_count(), 1e6 * sweep, 1e6 * one, one / sweep, 1e6 * two, scaled);
}

}  // namespace

int main() {
  measure("tower-like", banded_graph({.contacts = 570, .half_band = 60, .neighbours = 23}), 40, 20);
  measure("brick wall", brick_pattern({}), 15, 1);
  return 0;
}
