// The solver of time steps on the built-in problems, which know their bodies.

#include <doctest/doctest.h>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/step/carried_sweeps.hpp>
#include <locdyn/solver/step/damped_sweeps.hpp>
#include <locdyn/solver/step/iterate.hpp>
#include <locdyn/solver/step/pressed_together.hpp>
#include <locdyn/solver/step/sweeps_and_newton.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;

TEST_CASE("sweeps and Newton: every built-in problem, by the judge, and no sweep for a solved one") {
  for (const auto& scene : builtin_scenes()) {
    CAPTURE(std::string(scene.name));
    const BuiltinProblem problem = make_builtin(scene.name, std::min<std::size_t>(scene.default_size, 300));
    LocalDynamics& ldy = *problem.ldy;
    const SolveReport report = solve_sweeps_and_newton(ldy, {.stop = {.tolerance = 1e-9}});
    CHECK(report.status == SolveStatus::converged);
    CHECK_FALSE(search_pressing(ldy, {}).pressed());
    CHECK(evaluate_residual(ldy).scaled <= 1e-9);
    const auto before = iterate_of(ldy).R;
    const SolveReport again = solve_sweeps_and_newton(ldy, {.stop = {.tolerance = 1e-9}});
    CHECK(again.status == SolveStatus::converged);
    CHECK(again.iterations == 0);
    CHECK(iterate_of(ldy).R == before);
  }
}

TEST_CASE(
    "sweeps and Newton: before a dear Newton that is far off sweeps take a fifth of it, before a cheap one 25 do") {
  const auto one_round = [](LocalDynamics& ldy, double tolerance = 1e-6) {
    return solve_sweeps_and_newton(ldy, {.stop = {.tolerance = tolerance}, .rounds = 1});
  };
  // Balls that next to no reactions keep apart; of a size at which no patch is solved by Newton, whose steps are no
  // iterations. Where the tolerance is not too tight those behind the first 50 come again, damped.
  struct Problem {
    std::size_t size;
    double tolerance;
  };
  for (const Problem& each : {Problem{500, 1e-8}, Problem{800, 1e-8}, Problem{500, 1e-6}, Problem{800, 1e-6}}) {
    CAPTURE(each.size);
    CAPTURE(each.tolerance);
    const BuiltinProblem problem = make_builtin("spheres", each.size);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> number(-1, 1);
    for (DiagonalBlock& row : problem.ldy->rows()) row.B = {number(random), number(random), number(random) - 0.2};
    const long price = sweeps_per_newton_step(*problem.ldy);
    REQUIRE(price > 40);
    const SolveReport report = one_round(*problem.ldy, each.tolerance);
    CHECK(report.residual.scaled > 1e-3);
    CHECK(report.factorisations > 0);
    const long before_newton = 5 * price;  // of 25 steps
    const long damped = each.tolerance < kDampedFrom ? 0 : before_newton - 50;
    CHECK(report.iterations - report.factorisations == before_newton + damped);
  }
  for (const char* scene : {"wall", "arch"}) {
    CAPTURE(std::string(scene));
    const SolveReport report = one_round(*make_builtin(scene, 300).ldy);
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.factorisations > 0);
    CHECK(report.iterations - report.factorisations == 25);
  }
}

TEST_CASE("sweeps and Newton: a dear Newton of a few steps goes before patches, after momentum or if not too dear") {
  struct Problem {
    const char* scene;
    std::size_t size;
    double tolerance;
    long price;  // at most
  };
  for (const Problem& each : {Problem{"chain", 2000, 1e-5, 1000}, Problem{"chain", 3000, 1e-5, 1000},
                              Problem{"chain", 42, 1e-6, 40}, Problem{"machine", 100, 1e-6, 40}}) {
    CAPTURE(std::string(each.scene));
    CAPTURE(each.size);
    const BuiltinProblem problem = make_builtin(each.scene, each.size);
    const long price = sweeps_per_newton_step(*problem.ldy);
    REQUIRE(price > 22);
    REQUIRE(price <= each.price);
    const SolveReport report =
        solve_sweeps_and_newton(*problem.ldy, {.stop = {.tolerance = each.tolerance}, .rounds = 1});
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.solver == "newton");
    CHECK(report.factorisations > 0);
    CHECK(report.factorisations <= 20);  // with those of patches before it some hundred
    if (each.tolerance < 1e-5) CHECK(report.iterations - report.factorisations == 25);
  }
}

TEST_CASE("sweeps have momentum where it is counted on, and where a body has few contacts at every tolerance") {
  const BuiltinProblem wall = make_builtin("wall", 300), chain = make_builtin("chain", 300);
  const auto contacts_a_body = [](const LocalDynamics& ldy) {
    return static_cast<double>(ldy.constraint_count()) / static_cast<double>(ldy.factor()->group_count());
  };
  REQUIRE(contacts_a_body(*wall.ldy) > 3);
  REQUIRE(contacts_a_body(*chain.ldy) <= 3);
  CHECK(counts_on_momentum(1e-5));
  CHECK_FALSE(counts_on_momentum(9e-6));
  CHECK(are_carried(*wall.ldy, 1e-5));
  CHECK_FALSE(are_carried(*wall.ldy, 9e-6));
  CHECK(are_carried(*chain.ldy, 1e-10));
  const LocalDynamics without_bodies = *chain.ldy;
  CHECK_FALSE(are_carried(without_bodies, 9e-6));
}

TEST_CASE("sweeps and Newton: limits are told, options out of range refused") {
  const BuiltinProblem problem = make_builtin("wall", 300);
  LocalDynamics& ldy = *problem.ldy;
  const SolveReport report = solve_sweeps_and_newton(ldy, {.stop = {.tolerance = 1e-12, .max_iterations = 7}});
  CHECK(report.status == SolveStatus::max_iterations);
  CHECK(report.iterations <= 7);
  CHECK(report.own_residual == doctest::Approx(evaluate_residual(ldy).scaled));
  CHECK_THROWS_AS((void)solve_sweeps_and_newton(ldy, {.stop = {}, .rounds = 0}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_sweeps_and_newton(ldy, {.stop = {.tolerance = 0}}), std::invalid_argument);
}

TEST_CASE("sweeps and Newton: where Newton stands still the path is tried once, for a share of what was spent") {
  // No residual is 0: Newton stands still at its rounding floor.
  const StopOptions stop{.tolerance = 1e-300, .measure = Measure::relative};
  int by_path = 0;
  for (const auto& scene : builtin_scenes()) {
    CAPTURE(std::string(scene.name));
    double work = 0, least = std::numeric_limits<double>::infinity();
    int turns = 0;
    for (int rounds = 1; rounds <= 6; ++rounds) {
      CAPTURE(rounds);
      const BuiltinProblem problem = make_builtin(scene.name, std::min<std::size_t>(scene.default_size, 30));
      const SolveReport report = solve_sweeps_and_newton(*problem.ldy, {.stop = stop, .rounds = rounds});
      CHECK(report.work() >= work);
      // Begun anew in vain: what there was before is back.
      CHECK(report.own_residual == doctest::Approx(evaluate_residual(*problem.ldy).relative).epsilon(1e-6));
      CHECK(report.own_residual <= std::max(1e-12, least * (1 + 1e-6)));
      least = report.own_residual;
      if (report.solver == "path") {
        CHECK(rounds > 2);
        CHECK(report.work() <= 6 * work);  // a round of up to twice those before, and a share of all
        // A solve that ends before its rounds are up repeats the one before, with its work.
        if (report.status != SolveStatus::converged && report.work() > work) ++turns;
      }
      work = report.work();
    }
    CHECK(turns <= 1);
    by_path += turns;
  }
  CHECK(by_path >= 1);
}
