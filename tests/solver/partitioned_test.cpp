// Islands solved apart inside `auto`: the bits on any number of threads, one that has no solution beside others that
// have, shares of the tolerance, limits.

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <locdyn/ldy/islands.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/solve_partitioned.hpp>
#include <solver/random_problem.hpp>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// Problems of laws of one block beside each other in one graph, their constraints in turn.
LocalDynamics beside(std::span<LocalDynamics> problems) {
  LocalDynamics all;
  std::vector<std::vector<ConstraintId>> ids(problems.size());
  std::size_t most = 0;
  for (const auto& problem : problems) most = std::max(most, problem.constraint_count());
  for (ConstraintId i{0}; i < most; ++i) {
    for (std::size_t p = 0; p < problems.size(); ++p) {
      if (problems[p].contains(i)) ids[p].push_back(all.insert(problems[p].law(i)));
    }
  }
  for (std::size_t p = 0; p < problems.size(); ++p) {
    LocalDynamics& one = problems[p];
    const auto count = static_cast<ConstraintId>(one.constraint_count());
    for (ConstraintId i{0}; i < count; ++i) {
      for (ConstraintId j{0}; j < i; ++j) all.couple(ids[p][i], ids[p][j]);
    }
    for (ConstraintId i{0}; i < count; ++i) {
      DiagonalBlock& row = all.row(ids[p][i]);
      row.W = one.row(i).W;
      row.B = one.row(i).B;
      for (ConstraintId j{0}; j < count; ++j) {
        if (j != i) all.find(ids[p][i], 0, ids[p][j], 0)->W = one.find(i, 0, j, 0)->W;
      }
    }
  }
  return all;
}

// Slow for sweeps: W of rank 10 and friction.
LocalDynamics slow(unsigned seed) {
  return random_problem({.contacts = 12, .friction = 0.6, .identity = 1e-7, .freedoms = 24}, seed);
}

// No solution: one contact with W_nn < 0 that the load presses.
LocalDynamics unsolvable() {
  LocalDynamics ldy;
  ldy.insert(ContactLaw{.friction = 0.3});
  ldy.row(ConstraintId{0}).W = Eigen::Vector3d(1, 1, -1).asDiagonal();
  ldy.row(ConstraintId{0}).B[2] = -1;
  return ldy;
}

}  // namespace

TEST_CASE("apart: islands of one graph, the same bits on any number of threads") {
  std::vector<LocalDynamics> problems;
  for (unsigned seed = 1; seed <= 7; ++seed) problems.push_back(slow(seed));
  const LocalDynamics all = beside(problems);
  REQUIRE(find_islands(all).count == 7);
  Eigen::VectorXd first;
  for (const int threads : {1, 2, 3, 8}) {
    LocalDynamics ldy = all;
    AutoOptions options;
    options.partitioned_from = 1;
    options.stop.tolerance = 1e-10;
    options.stop.threads = threads;
    const SolveReport report = solve_auto(ldy, options);
    CAPTURE(report.reason);
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.residual.scaled <= 1e-10);
    CHECK(report.residual.scaled == evaluate_residual(ldy).scaled);
    CHECK_FALSE(report.solver.empty());
    if (threads == 1) {
      first = reactions(ldy);
      continue;
    }
    CHECK(reactions(ldy) == first);
  }
}

TEST_CASE("apart: each island is solved to its share, by the measure asked for") {
  // One load a million times the other: of the whole's ‖b‖ hardly anything is asked of the small one.
  std::vector<LocalDynamics> problems{slow(1), slow(2)};
  for (auto& row : problems[1].rows()) {
    auto law = std::get<ContactLaw>(problems[1].law(row.constraint));
    law.shift *= 1e-6;
    row.B *= 1e-6;
    problems[1].set_law(row.constraint, law);
  }
  for (const Measure measure : {Measure::scaled, Measure::relative, Measure::absolute}) {
    LocalDynamics ldy = beside(problems);
    std::vector<double> tolerances;
    StopOptions stop{.tolerance = 1e-8, .measure = measure};
    const SolveReport report =
        solve_partitioned(ldy, find_islands(ldy), stop, [&](LocalDynamics& island, const StopOptions& own) {
          tolerances.push_back(own.tolerance);
          return solve_auto(island, {.stop = own});
        });
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.own_residual <= 1e-8);
    REQUIRE(tolerances.size() == 2);
    if (measure == Measure::absolute) {
      CHECK(tolerances[0] == doctest::Approx(std::sqrt(0.5) * 1e-8));
      CHECK(tolerances[1] == doctest::Approx(std::sqrt(0.5) * 1e-8));
    } else {
      CHECK(tolerances[0] == doctest::Approx(std::sqrt(0.5) * 1e-8).epsilon(1e-6));
      CHECK(tolerances[1] > 1e-3);
    }
  }
}

TEST_CASE("apart: an island without a solution leaves the others solved, and is what the report speaks of") {
  std::vector<LocalDynamics> problems{slow(1), unsolvable(), slow(2)};
  LocalDynamics ldy = beside(problems);
  const SolveReport report = solve_auto(ldy, {.stop = {}, .partitioned_from = 1});
  CHECK(report.status == SolveStatus::stalled);
  CHECK(report.reason.find("1 of 3 islands: ") == 0);
  CHECK(report.residual.worst == 1);
  const Islands islands = find_islands(ldy);
  const std::vector<Residual> each = evaluate_residuals(ldy, islands);
  CHECK(each[0].scaled <= 1e-7);
  CHECK(each[1].scaled > 0.1);
  CHECK(each[2].scaled <= 1e-7);
}

TEST_CASE("apart: limits hold, and a fault of one island is handed on") {
  std::vector<LocalDynamics> problems{slow(1), unsolvable(), slow(2)};
  LocalDynamics ldy = beside(problems);
  AutoOptions options{.stop = {}, .partitioned_from = 1};
  options.stop.max_iterations = 15;
  CHECK(solve_auto(ldy, options).status == SolveStatus::max_iterations);
  options.stop = {};
  options.stop.tolerance = 1e-12;
  options.stop.max_seconds = 0.2;
  const SolveReport report = solve_auto(ldy, options);
  CHECK(report.status == SolveStatus::max_time);
  CHECK(report.seconds <= 0.25);

  for (const int threads : {1, 4}) {
    const StopOptions stop{.threads = threads};
    CHECK_THROWS_WITH_AS(
        (void)solve_partitioned(ldy, find_islands(ldy), stop,
                                [](LocalDynamics& island, const StopOptions&) -> SolveReport {
                                  throw std::runtime_error(island.constraint_count() == 1 ? "one" : "many");
                                }),
        "many", std::runtime_error);
  }
}
