// Newton's short turns within sweeps, on the built-in problems, which know their bodies.

#include <doctest/doctest.h>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/step/iterate.hpp>
#include <locdyn/solver/step/short_turns.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;

namespace {

constexpr std::size_t kSize = 300;

SolveReport sweep(LocalDynamics& ldy, const StopOptions& stop, const GivesUp& gives_up = {}) {
  return GaussSeidel(ldy, {.stop = stop, .momentum = true}).solve(stop, 1, gives_up);
}

}  // namespace

TEST_CASE("short turns: near, worth it, and not too soon after one another") {
  const BuiltinProblem problem = make_builtin("wall", kSize);
  LocalDynamics& ldy = *problem.ldy;
  ShortTurns turns(ldy);
  CHECK(turns.may_be_due(2, 0));
  CHECK_FALSE(turns.may_be_due(2.1, 1000000));
  CHECK(ShortTurns::pays(80, 10));
  CHECK_FALSE(ShortTurns::pays(79, 10));
  const auto system = make_newton_system(ldy);
  SolveReport swept;
  swept.history.push_back({.iteration = 1000, .seconds = 0, .residual = 1});
  CHECK_FALSE(turns.take(*system, {.tolerance = 1e-300}, swept));
  CHECK_FALSE(turns.may_be_due(1, 1299));
  CHECK(turns.may_be_due(1, 1300));
}

TEST_CASE("short turns: what ends nothing leaves sweeps, and their momentum, as they were, and is paid for") {
  const StopOptions stop{.tolerance = 1e-300, .measure = Measure::relative, .max_iterations = 300};
  int with_turns = 0;
  for (const auto& scene : builtin_scenes()) {
    CAPTURE(std::string(scene.name));
    const BuiltinProblem alone = make_builtin(scene.name, std::min(scene.default_size, kSize));
    const SolveReport swept = sweep(*alone.ldy, stop);
    const BuiltinProblem problem = make_builtin(scene.name, std::min(scene.default_size, kSize));
    LocalDynamics& ldy = *problem.ldy;
    const auto system = make_newton_system(ldy);
    ShortTurns turns(ldy);
    int taken = 0;
    SolveReport beside = sweep(ldy, stop, [&](const SolveReport& turn) {
      const auto before = iterate_of(ldy).R;
      CHECK_FALSE(turns.take(*system, stop, turn));
      CHECK(iterate_of(ldy).R == before);
      ++taken;
      return false;
    });
    CHECK(beside.iterations == swept.iterations);
    CHECK(iterate_of(ldy).R == iterate_of(*alone.ldy).R);
    StageSequence sequence(stop);
    turns.add_to(sequence, std::move(beside));
    CHECK(sequence.total().own_residual == swept.own_residual);
    with_turns += taken > 0;
    if (taken > 0) CHECK(sequence.total().factorisations > swept.factorisations);
    CHECK(sequence.total().work() >= swept.work());
  }
  CHECK(with_turns >= 3);
}

TEST_CASE("short turns: one that ends the solve has its reactions in the graph, and the last word") {
  int ended = 0;
  for (const auto& scene : builtin_scenes()) {
    CAPTURE(std::string(scene.name));
    const BuiltinProblem problem = make_builtin(scene.name, std::min(scene.default_size, kSize));
    LocalDynamics& ldy = *problem.ldy;
    const StopOptions stop{.tolerance = 1e-10, .max_iterations = 3000};
    const auto system = make_newton_system(ldy);
    ShortTurns turns(ldy);
    bool by_newton = false;
    SolveReport swept =
        sweep(ldy, stop, [&](const SolveReport& turn) { return by_newton = turns.take(*system, stop, turn); });
    const long sweeps = swept.iterations;
    const double seconds = swept.seconds;
    StageSequence sequence(stop);
    turns.add_to(sequence, std::move(swept));
    CHECK(sequence.total().own_residual == doctest::Approx(evaluate_residual(ldy).scaled));
    CHECK(sequence.total().seconds == doctest::Approx(seconds));
    if (!by_newton) continue;
    ++ended;
    CHECK(sequence.ended());
    CHECK(sequence.total().status == SolveStatus::converged);
    CHECK(sequence.total().solver == "newton");
    CHECK(evaluate_residual(ldy).scaled <= stop.tolerance);
    CHECK(sequence.total().iterations > sweeps);
    CHECK(sequence.total().iterations <= sweeps + 6);
  }
  CHECK(ended >= 3);
}
