// A heavy block on a stack of ten light ones: where sweeps alone take ever longer, the default solver must not.

#include <doctest/doctest.h>

#include "builtin/builtin.hpp"
#include <locdyn/solver/auto.hpp>

using namespace locdyn;

namespace {

// A block product is 18 floating point operations.
double work(const SolveReport& report) {
  return report.block_products + report.factorisation_flops / 18;
}

SolveReport solve_heavy(double ratio) {
  const BuiltinProblem problem = make_builtin("heavy", 44, {.mass_ratio = ratio});
  const SolveReport report = solve_auto(*problem.ldy, {});
  MESSAGE("heavy block ", ratio, " : 1, solver ", report.solver, ", ", report.iterations, " iterations: scaled ",
          report.residual.scaled, ", ", report.block_products, " block products + ", report.factorisation_flops / 18,
          " in factorisations = ", work(report));
  return report;
}

}  // namespace

TEST_CASE("a heavy block on ten light ones at 1000 : 1 costs at most 3 times the work of 1 : 1") {
  const SolveReport equal = solve_heavy(1);
  for (const double ratio : {10.0, 100.0, 1e4}) CHECK(solve_heavy(ratio).status == SolveStatus::converged);
  const SolveReport heavy = solve_heavy(1000);
  CHECK(equal.status == SolveStatus::converged);
  CHECK(heavy.status == SolveStatus::converged);
  CHECK(equal.residual.scaled <= 1e-8);
  CHECK(heavy.residual.scaled <= 1e-8);
  MESSAGE("1000 : 1 over 1 : 1: block products ", heavy.block_products / equal.block_products, ", factorisation flops ",
          heavy.factorisation_flops / equal.factorisation_flops, ", together ", work(heavy) / work(equal));
  // Together: a Newton step or two, of which there may be one or four, cost less here than a sweep.
  CHECK(heavy.block_products <= 3 * equal.block_products);
  CHECK(work(heavy) <= 3 * work(equal));
}
