// Where a residual sits, and Newton there.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/nsgs/chosen_sweep.hpp>
#include <locdyn/solver/schwarz/schwarz.hpp>
#include <solver/random_problem.hpp>
#include <stdexcept>
#include <string>
#include <vector>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// Solved, but for the reaction of the contact that presses most: which one that is rounding may decide.
struct Spoilt {
  LocalDynamics ldy;
  ConstraintId at{0};

  explicit Spoilt(const BuiltinProblem& problem) : ldy(*problem.ldy) {
    NewtonOptions options;
    options.stop.tolerance = 1e-11;
    REQUIRE(solve_newton(ldy, options).status == SolveStatus::converged);
    for (const DiagonalBlock& row : ldy.rows()) {
      if (row.R[2] > ldy.row(at).R[2]) at = row.constraint;
    }
    ldy.row(at).R *= 1.5;
  }
};

}  // namespace

TEST_CASE("patches: the constraints that hold the residual, their neighbours, and nobody else") {
  const BuiltinProblem problem = make_builtin("spheres", 100);
  Spoilt spoilt(problem);
  LocalDynamics& ldy = spoilt.ldy;
  const ConstraintId at = spoilt.at;
  const double whole = evaluate_residual(ldy).scaled;
  double sum = 0;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) sum += scaled_residual2(ldy, id);
  CHECK(std::sqrt(sum) == doctest::Approx(whole * load_norm(ldy)).epsilon(1e-12));

  const Patches found = find_patches(ldy, {.cover = 0.9, .rings = 1, .largest = 200});
  CHECK(found.spread < 0.2);
  CHECK(found.spread == spread_of_residual(ldy, 0.9));
  REQUIRE(found.patch.size() == 1);
  CHECK(std::find(found.patch[0].begin(), found.patch[0].end(), at) != found.patch[0].end());
  CHECK(found.patch[0].size() < ldy.constraint_count());
  CHECK(find_patches(ldy, {.cover = 0.9, .rings = 1, .largest = 3}).patch[0].size() <= 3);

  // With all else held a patch has the residual that its constraints have in the whole.
  std::vector<LocalDynamics> graphs = extract_patches(ldy, found.patch);
  double share = 0;
  for (const ConstraintId id : found.patch[0]) share += scaled_residual2(ldy, id);
  CHECK(evaluate_residual(graphs[0]).scaled * load_norm(graphs[0]) == doctest::Approx(std::sqrt(share)).epsilon(1e-9));
}

TEST_CASE("schwarz: a residual in one place is gone after one round") {
  const BuiltinProblem problem = make_builtin("spheres", 100);
  LocalDynamics ldy = Spoilt(problem).ldy;
  SchwarzOptions options;
  options.stop.tolerance = 1e-6;
  options.sweeps = 1;
  const SolveReport report = solve_schwarz(ldy, options);
  CHECK(report.status == SolveStatus::converged);
  CHECK(report.iterations <= 4);
}

TEST_CASE("schwarz: after sweeps that stood still patches come first") {
  const BuiltinProblem problem = make_builtin("spheres", 100);
  const auto factorisations = [&](bool swept) {
    LocalDynamics ldy = Spoilt(problem).ldy;
    SchwarzOptions options;
    options.stop.tolerance = 1e-6;
    options.swept = swept;
    const SolveReport report = solve_schwarz(ldy, options);
    CHECK(report.status == SolveStatus::converged);
    return report.factorisations;
  };
  CHECK(factorisations(false) == 0);  // nine sweeps are enough
  CHECK(factorisations(true) > 0);
}

TEST_CASE("schwarz: patches grow until they hold what moves together") {
  // A stack, spoilt in one place: patches of a contact and its neighbours pass what is wrong on one contact a round.
  const BuiltinProblem problem = make_builtin("stack", 60);
  LocalDynamics ldy = Spoilt(problem).ldy;
  SchwarzOptions options;
  options.stop.tolerance = 1e-6;
  options.sweeps = 1;
  options.patience = 1000;
  const SolveReport report = solve_schwarz(ldy, options);
  CHECK(report.status == SolveStatus::converged);
  CHECK(report.iterations <= 12);  // 9; 18 where they stay as they begin
}

TEST_CASE("schwarz: the same bits on any number of threads, through velocities and over blocks") {
  for (const std::size_t size : {300, 4000}) {
    CAPTURE(size);
    Eigen::VectorXd first;
    for (const int threads : {1, 2, 4}) {
      CAPTURE(threads);
      const BuiltinProblem problem = make_builtin("spheres", size);
      problem.ldy->require_blocks();
      CHECK(choose_form(*problem.ldy) == (size == 300 ? SweepForm::blocks : SweepForm::velocities));
      SchwarzOptions options;
      options.stop.tolerance = 1e-7;
      options.stop.threads = threads;
      options.stop.max_iterations = 200;
      const SolveReport report = solve_schwarz(*problem.ldy, options);
      CHECK(report.factorisations > 0);  // patches were solved
      CHECK(report.residual.scaled == evaluate_residual(*problem.ldy).scaled);
      if (threads == 1) first = reactions(*problem.ldy);
      CHECK(reactions(*problem.ldy) == first);
    }
  }
}

TEST_CASE("schwarz: a residual that is everywhere is told, for others to take up") {
  LocalDynamics ldy = *make_builtin("wall", 200).ldy;
  SchwarzOptions options;
  options.stop.tolerance = 1e-12;
  options.most_spread = 0.01;
  const SolveReport report = solve_schwarz(ldy, options);
  CHECK(report.status == SolveStatus::stalled);
  CHECK(report.reason.find("spread") != std::string::npos);
}

TEST_CASE("schwarz: Newton on patches ends with the work that there is") {
  const LocalDynamics start = *make_builtin("wall", 400).ldy;
  SchwarzOptions options;
  options.stop.tolerance = 1e-12;
  options.stop.max_iterations = options.sweeps;
  LocalDynamics swept = start;
  const double sweeps = solve_schwarz(swept, options).work();

  options.stop.max_iterations = options.sweeps + 1;  // and the patches that follow the first sweeps
  LocalDynamics ldy = start;
  const double patches = solve_schwarz(ldy, options).work() - sweeps;
  REQUIRE(patches > sweeps);
  options.stop.max_work = sweeps + 0.1 * patches;
  ldy = start;
  const SolveReport report = solve_schwarz(ldy, options);
  CHECK(report.status == SolveStatus::max_iterations);
  CHECK(report.reason == kWorkLimit);
  CHECK(report.work() < sweeps + 0.5 * patches);
}

TEST_CASE("schwarz: options out of range are refused") {
  LocalDynamics ldy = random_problem({.contacts = 2}, 1);
  SchwarzOptions options;
  options.patches.cover = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS((void)solve_schwarz(ldy, options), doctest::Contains("schwarz: cover"), std::invalid_argument);
  options = {};
  options.sweeps = 0;
  CHECK_THROWS_WITH_AS((void)solve_schwarz(ldy, options), doctest::Contains("schwarz: rings"), std::invalid_argument);
}
