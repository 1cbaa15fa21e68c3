// What judging costs: the full residual against the row products of one sweep on the same graph, in one run.
//
//   benchmark_residual        prints one line a problem

#include <array>
#include <cstdio>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/ldy/row_product.hpp>
#include "builtin/builtin.hpp"

#include "measure.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::benchmark;

void measure(std::size_t contacts, int rounds, int repeats) {
  const BuiltinProblem problem = make_builtin("wall", contacts);
  LocalDynamics& ldy = *problem.ldy;
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
      problem.name.c_str(), ldy.row_count(), ldy.off_diagonal_count(), 1e6 * sweep, 1e6 * one, one / sweep, 1e6 * two,
      scaled);
}

}  // namespace

int main() {
  measure(600, 40, 20);
  measure(50'000, 15, 1);
  return 0;
}
