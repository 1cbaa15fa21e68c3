// Behind the rounds of a step: sweeps on the way of which short turns of Newton are taken, on the built-in problems.

#include <doctest/doctest.h>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/stage_sequence.hpp>
#include <locdyn/solver/step/iterate.hpp>
#include <locdyn/solver/step/wandering_sweeps.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;

namespace {

constexpr std::size_t kWanderers = 300;

// Twenty sweeps, and what rounds of other solvers may have spent.
void spend(LocalDynamics& ldy, const StopOptions& stop, double block_products, StageSequence& sequence) {
  StopOptions few = stop;
  few.max_iterations = 20;
  sequence.add(GaussSeidel(ldy, {.stop = few}).solve(few, 1));
  SolveCost rounds;
  rounds.block_products = block_products;
  sequence.add_cost(rounds, 0);
}

}  // namespace

TEST_CASE("wandering sweeps: what they come near is ended, by them or by a short turn of Newton on the way") {
  int ended = 0, by_newton = 0;
  for (const auto& scene : builtin_scenes()) {
    CAPTURE(std::string(scene.name));
    const BuiltinProblem problem = make_builtin(scene.name, std::min(scene.default_size, kWanderers));
    LocalDynamics& ldy = *problem.ldy;
    const StopOptions stop{.tolerance = 1e-9};
    StageSequence sequence(stop);
    spend(ldy, stop, 1e9, sequence);
    if (sequence.ended()) continue;
    take_wandering_sweeps(ldy, sequence);
    CHECK(sequence.total().own_residual == doctest::Approx(evaluate_residual(ldy).scaled));
    if (!sequence.ended()) continue;
    ++ended;
    CHECK(evaluate_residual(ldy).scaled <= stop.tolerance);
    if (sequence.total().solver != "newton") continue;
    ++by_newton;
    CHECK(sequence.total().iterations > 300);
    CHECK(sequence.total().factorisations > 0);
  }
  CHECK(ended >= 5);
  CHECK(by_newton >= 2);
}

TEST_CASE("wandering sweeps: where they come nowhere near they stop at a share of what was spent, and lose nothing") {
  int wandered = 0;
  for (const auto& scene : builtin_scenes()) {
    CAPTURE(std::string(scene.name));
    const BuiltinProblem problem = make_builtin(scene.name, std::min(scene.default_size, kWanderers));
    LocalDynamics& ldy = *problem.ldy;
    const StopOptions stop{.tolerance = 1e-300, .measure = Measure::relative};
    StageSequence sequence(stop);
    spend(ldy, stop, 1e7, sequence);
    if (sequence.ended()) continue;
    const double spent = sequence.total().work(), before = sequence.total().own_residual;
    const long iterations = sequence.total().iterations, factorisations = sequence.total().factorisations;
    const long least = 300, looks = 25;
    take_wandering_sweeps(ldy, sequence);
    const double took = sequence.total().work() - spent;
    const long sweeps = sequence.total().iterations - iterations;
    CHECK(sequence.total().own_residual <= before);
    CHECK(sequence.total().factorisations == factorisations);
    CHECK(sweeps >= least);
    CHECK(took <= std::max(0.15 * spent, took / static_cast<double>(sweeps) * least) * (1 + looks / 300.0) + 1);
    ++wandered;
  }
  CHECK(wandered >= 5);
}

TEST_CASE("wandering sweeps: nothing is done where the solve has ended") {
  const BuiltinProblem problem = make_builtin("wall", kWanderers);
  LocalDynamics& ldy = *problem.ldy;
  const StopOptions stop{.tolerance = 1e300};
  StageSequence sequence(stop);
  spend(ldy, stop, 1e9, sequence);
  REQUIRE(sequence.ended());
  const auto R = iterate_of(ldy).R;
  const long iterations = sequence.total().iterations;
  take_wandering_sweeps(ldy, sequence);
  CHECK(sequence.total().iterations == iterations);
  CHECK(iterate_of(ldy).R == R);
}
