// Google Benchmark's micro-benchmarks of what a step and a solve are made of, on built-in problems: assembly, one
// sweep, the one-contact law, the residual. Times alone; the ratios that matter are printed by the other programs.
//
//   benchmark_micro [--benchmark_filter=REGEX] …

#include <benchmark/benchmark.h>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/ldy/row_product.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <vector>
#include "builtin/builtin.hpp"

namespace {

using namespace locdyn;
using namespace locdyn::detail;

// A wall of about state.range(0) contacts after a few sweeps.
BuiltinProblem swept_wall(const benchmark::State& state) {
  BuiltinProblem wall = make_builtin("wall", static_cast<std::size_t>(state.range(0)));
  GaussSeidelSweep sweep(*wall.ldy);
  for (int k = 0; k < 20; ++k) sweep.run(SweepDirection::forward, 1);
  return wall;
}

void count(benchmark::State& state, const LocalDynamics& ldy) {
  state.counters["contacts"] = static_cast<double>(ldy.constraint_count());
  state.counters["blocks"] =
      benchmark::Counter(static_cast<double>(ldy.off_diagonal_count()), benchmark::Counter::kIsIterationInvariantRate);
}

void assembly(benchmark::State& state) {
  BuiltinProblem wall = make_builtin("wall", static_cast<std::size_t>(state.range(0)));
  const AssemblyOptions options{.threads = static_cast<int>(state.range(1))};
  for (auto _ : state) wall.assembly->update(wall.h, options);
  count(state, *wall.ldy);
}

void sweep(benchmark::State& state) {
  const BuiltinProblem wall = swept_wall(state);
  GaussSeidelSweep gauss_seidel(*wall.ldy);
  for (auto _ : state) benchmark::DoNotOptimize(gauss_seidel.run(SweepDirection::forward, 1));
  count(state, *wall.ldy);
}

void residual(benchmark::State& state) {
  const BuiltinProblem wall = swept_wall(state);
  for (auto _ : state) benchmark::DoNotOptimize(evaluate_residual(*wall.ldy, static_cast<int>(state.range(1))));
  count(state, *wall.ldy);
}

// The loads and warm starts of a wall in the middle of its sweeps.
void one_contact_law(benchmark::State& state) {
  const BuiltinProblem wall = swept_wall(state);
  std::vector<ContactBlock> blocks;
  std::vector<Eigen::Vector3d> loads, warm;
  for (const DiagonalBlock& row : wall.ldy->rows()) {
    const Law& law = wall.ldy->law(row.constraint);
    blocks.push_back(coulomb_block(law, row.W));
    loads.push_back(row.B + off_diagonal_product(*wall.ldy, row) + offset(law, 0));
    warm.push_back(row.R);
  }
  std::size_t k = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(blocks[k].solve(loads[k], warm[k]));
    k = k + 1 == blocks.size() ? 0 : k + 1;
  }
}

BENCHMARK(assembly)->ArgsProduct({{1'000, 50'000}, {1, 2}})->ArgNames({"contacts", "threads"})->UseRealTime();
BENCHMARK(sweep)->Arg(1'000)->Arg(50'000)->ArgName("contacts");
BENCHMARK(residual)->ArgsProduct({{1'000, 50'000}, {1, 2}})->ArgNames({"contacts", "threads"})->UseRealTime();
BENCHMARK(one_contact_law)->Arg(1'000)->ArgName("contacts");

}  // namespace

BENCHMARK_MAIN();
