// `auto` on what makes solvers fail: extreme mass ratios, W that no body has, limits of time.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <locdyn/ldy/recovered_factor.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/auto_stages.hpp>
#include <locdyn/solver/tuning.hpp>
#include <solver/dense_problem.hpp>
#include <solver/random_problem.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

TEST_CASE("auto: ten cubes at a mass ratio of 1 : 1e6 come to 1e-8") {
  const BuiltinProblem problem = make_builtin("heavy", 40, {.mass_ratio = 1e6});
  const SolveReport report = solve_auto(*problem.ldy, {});
  CHECK(report.status == SolveStatus::converged);
  CHECK(evaluate_residual(*problem.ldy).scaled <= 1e-8);
  MESSAGE(problem.ldy->row_count(), " contacts: ", report.iterations, " iterations, ", report.residual.scaled);
}

TEST_CASE("auto: an indefinite W is solved where a solution exists") {
  // Normal rows W = [1 2; 2 1], eigenvalues 3 and −1. With B = (−1, 0.5) R = (1, 0) gives U = (0, 2.5).
  LocalDynamics ldy;
  for (int k = 0; k < 2; ++k) {
    ldy.insert(ContactLaw{.friction = 0.3});
    ldy.row(ConstraintId{k}).W = Eigen::Matrix3d::Identity();
  }
  ldy.couple(ConstraintId{0}, ConstraintId{1});
  ldy.find(ConstraintId{0}, 0, ConstraintId{1}, 0)->W(2, 2) = 2;
  ldy.find(ConstraintId{1}, 0, ConstraintId{0}, 0)->W(2, 2) = 2;
  ldy.row(ConstraintId{0}).B[2] = -1;
  ldy.row(ConstraintId{1}).B[2] = 0.5;
  const SolveReport report = solve_auto(ldy, {});
  CHECK(report.status == SolveStatus::converged);
  CHECK(ldy.row(ConstraintId{0}).R[2] == doctest::Approx(1));
  CHECK(ldy.row(ConstraintId{1}).R[2] == doctest::Approx(0));
}

TEST_CASE("auto: an indefinite W without a solution ends as stalled with the best iterate") {
  // W = −I in the normal rows, B < 0: U = B − R < 0 for every R ≥ 0.
  LocalDynamics ldy;
  ldy.insert(ContactLaw{.friction = 0.3});
  ldy.row(ConstraintId{0}).W = Eigen::Vector3d(1, 1, -1).asDiagonal();
  ldy.row(ConstraintId{0}).B[2] = -1;
  AutoOptions options;
  options.stop.max_seconds = 60;  // far above what it takes
  const SolveReport report = solve_auto(ldy, options);
  CHECK(report.status == SolveStatus::stalled);
  CHECK_FALSE(report.reason.empty());
  CHECK(ldy.row(ConstraintId{0}).R.allFinite());
  CHECK(report.residual.scaled == evaluate_residual(ldy).scaled);
  double best = std::numeric_limits<double>::infinity();
  for (const auto& sample : report.history) best = std::min(best, sample.residual);
  CHECK(report.residual.scaled <= best);
}

TEST_CASE("auto: a time limit is kept to a tenth") {
  const BuiltinProblem problem = make_builtin("spheres", 3000);
  AutoOptions options;
  options.stop.tolerance = 1e-300;
  options.stop.max_seconds = 1;
  const SolveReport report = solve_auto(*problem.ldy, options);
  // Converged at the rounding floor, or ended in time.
  if (report.status != SolveStatus::converged) CHECK(report.status == SolveStatus::max_time);
  CHECK(report.seconds <= 1.1);
}

TEST_CASE("auto: every part may be left out, and then has no turn") {
  // Slow enough for sweeps that every method has a turn: W of rank 24 for 36 rows.
  const LocalDynamics problem = random_problem({.contacts = 12, .friction = 0.8, .identity = 0, .freedoms = 14}, 2);
  for (const AutoStage& stage : auto_stages()) {
    const std::string name(stage.name);
    CAPTURE(name);
    CHECK_FALSE(stage.what.empty());
    LocalDynamics ldy = problem;
    AutoOptions options;
    options.without = {name};
    CHECK(solve_auto(ldy, options).status == SolveStatus::converged);
    // Alone: what ends it is a stage of that name, or nothing was due.
    ldy = problem;
    options.without.clear();
    for (const AutoStage& other : auto_stages()) {
      if (other.name != stage.name) options.without.emplace_back(other.name);
    }
    const SolveReport alone = solve_auto(ldy, options);
    const bool own = alone.solver == "auto" || name == "factor" || name.find(alone.solver) == 0;
    CHECK(own);
  }
}

TEST_CASE("auto: a wall that comes as blocks is solved in the space of velocities, and keeps no factor") {
  const BuiltinProblem problem = make_builtin("wall", 1200);
  const LocalDynamics blocks = *problem.ldy;  // a copy knows no factor
  const auto found = recover_factor(blocks, Tuning().factor_holds_at_most);
  REQUIRE(found);
  std::size_t directions = 0;
  for (std::size_t g = 0; g + 1 < found->first_inertia.size(); ++g) {
    directions +=
        static_cast<std::size_t>(std::lround(std::sqrt(found->first_inertia[g + 1] - found->first_inertia[g])));
  }
  CHECK(directions % 6 == 0);  // rigid bricks
  CHECK(directions < blocks.row_count());

  LocalDynamics with = blocks, without = blocks;
  AutoOptions options;
  const SolveReport by_factor = solve_auto(with, options);
  CHECK(by_factor.status == SolveStatus::converged);
  CHECK(with.factor() == nullptr);
  CHECK(evaluate_residual(with).scaled <= 1e-8);
  options.without = {"factor"};
  const SolveReport by_blocks = solve_auto(without, options);
  CHECK(by_blocks.status == SolveStatus::converged);
  CHECK(by_factor.iterations != by_blocks.iterations);
  // Reactions are not unique, velocities are.
  double largest = 0, apart = 0;
  for (const DiagonalBlock& row : with.rows()) {
    largest = std::max(largest, row.B.norm());
    apart = std::max(apart, (row.U - without.row(row.constraint).U).norm());
  }
  CHECK(apart <= 1e-6 * largest);
  MESSAGE(blocks.row_count(), " contacts, ", directions, " velocities: ", by_factor.seconds, " s, without the factor ",
          by_blocks.seconds, " s, U apart by ", apart / largest, " ‖B‖");
}

TEST_CASE("auto: with all stages left out the warm start is judged and told") {
  LocalDynamics ldy = random_problem({.contacts = 5, .friction = 0.5}, 1);
  AutoOptions options;
  for (const std::string_view part : auto_parts()) options.without.emplace_back(part);
  const SolveReport report = solve_auto(ldy, options);
  CHECK(report.status == SolveStatus::stalled);
  CHECK(report.reason == "of the stages that are left none was due");
  CHECK(report.iterations == 0);
  CHECK(report.history.size() == 1);
}

TEST_CASE("auto: sweeps give way to the search for a factor, and go on where there is none that is sparse enough") {
  const BuiltinProblem problem = make_builtin("wall", 200);
  AutoOptions options;
  options.rounds = 1;
  options.stop.tolerance = 1e-4;
  options.tuning.sweeps_a_factor_costs = 0;
  options.tuning.newton_steps_per_solve = options.tuning.promise_where_loose = 1e9;  // for nothing else
  for (const std::string_view part : auto_parts()) {
    if (part != "nsgs" && part != "factor") options.without.emplace_back(part);
  }
  LocalDynamics none = *problem.ldy, found = *problem.ldy;
  options.tuning.factor_holds_at_most = 1e-9;
  const SolveReport by_sweeps = solve_auto(none, options);
  CHECK(by_sweeps.status == SolveStatus::converged);
  CHECK(by_sweeps.factorisations == 0);
  options.tuning.factor_holds_at_most = Tuning().factor_holds_at_most;
  options.stop.tolerance = 1e-8;
  CHECK(solve_auto(found, options).status == SolveStatus::converged);
  CHECK(found.factor() == nullptr);
}

TEST_CASE("auto: in the first round Newton has no turn where it is dearest") {
  const BuiltinProblem problem = make_builtin("wall", 200);
  AutoOptions options;
  options.rounds = 1;
  options.without = {"factor", "schwarz", "interior", "newton-on", "path", "admm"};
  LocalDynamics with = *problem.ldy, without = *problem.ldy;
  CHECK(solve_auto(with, options).factorisations > 0);
  options.tuning.dearest_step = 0;
  CHECK(solve_auto(without, options).factorisations == 0);
}

TEST_CASE("auto: beside patches sweeps go on for as long as their tolerance lets them promise") {
  const BuiltinProblem problem = make_builtin("tower", 1000);
  const auto sweeps = [&](double tolerance, double promise_where_loose) {
    AutoOptions options;
    options.stop.tolerance = tolerance;
    options.rounds = 1;
    options.without = {"factor", "schwarz", "admm", "newton", "interior", "newton-on", "path"};
    options.tuning.dear_step = 0;
    options.tuning.promise_where_loose = promise_where_loose;
    LocalDynamics ldy = *problem.ldy;
    clear(ldy);
    return solve_auto(ldy, options).iterations;
  };
  CHECK(sweeps(1e-4, 0) < sweeps(1e-4, 4));
  CHECK(sweeps(4e-5, 0) == sweeps(4e-5, 4));
}

TEST_CASE("auto: patches take about twice what was spent before them, and then others have their turn") {
  const BuiltinProblem problem = make_builtin("tower", 1000);
  LocalDynamics ldy = *problem.ldy;
  clear(ldy);
  AutoOptions options;
  options.stop.tolerance = 1e-12;
  options.tuning.rounds_of_patches = 1000;
  options.tuning.patches_cover_at_most = 1;
  options.tuning.first_steps = 0;
  AutoRun run(ldy, options);
  const AutoStage& patches = *std::ranges::find(auto_stages(), "schwarz", &AutoStage::name);
  CHECK(patches.may_spend(run) == std::numeric_limits<double>::infinity());
  run.begin_round(0);
  run.sweep();
  const double before = run.spent();
  REQUIRE(before > 0);
  CHECK(patches.may_spend(run) == 2 * before);
  run.may_spend(patches.may_spend(run));
  run.solve_patches();
  CHECK(run.spent() > before);
  CHECK(run.spent() < 4 * before);  // a turn ends behind the round in which it has spent its share
  CHECK_FALSE(run.sequence().ended());
}

TEST_CASE("auto: an unknown part is refused, and those there are told") {
  LocalDynamics ldy;
  AutoOptions options;
  options.without = {"newton", "simplex"};
  CHECK_THROWS_WITH_AS((void)solve_auto(ldy, options),
                       "auto: without: expected one of step, wander, nsgs, factor, schwarz, admm, newton, interior, "
                       "newton-on, path, together, momentum, found 'simplex'",
                       std::invalid_argument);
}

TEST_CASE("auto: a limit of work ends it, by counts") {
  const LocalDynamics problem = random_problem({.contacts = 12, .friction = 0.8, .identity = 0, .freedoms = 14}, 2);
  AutoOptions options;
  options.stop.tolerance = 1e-300;
  LocalDynamics ldy = problem;
  const double whole = solve_auto(ldy, options).work();
  ldy = problem;
  options.stop.max_work = 0.2 * whole;
  const SolveReport report = solve_auto(ldy, options);
  CHECK(report.work() < whole);
  if (report.status != SolveStatus::converged) CHECK(report.status == SolveStatus::max_iterations);
  ldy = problem;
  options.stop.max_work = 1;
  const SolveReport least = solve_auto(ldy, options);
  CHECK(least.status == SolveStatus::max_iterations);
  CHECK(least.reason == "the limit of work came first");
  options.stop.max_work = 0;
  CHECK_THROWS_AS((void)solve_auto(ldy, options), std::invalid_argument);
}

TEST_CASE("auto: behind a step that was not solved the others share a multiple of what it took") {
  const BuiltinProblem problem = make_builtin("heavy", 12, {});
  const AutoOptions options;
  AutoRun run(*problem.ldy, options);
  const double without_limit = run.work_left();
  SolveReport spent;
  spent.status = SolveStatus::stalled;
  spent.block_products = 1000;
  const double work = spent.work();
  const double times = options.tuning.rest_takes_at_most;
  REQUIRE(work > 0);
  run.sequence().add(spent);
  CHECK(run.work_left() == without_limit);
  run.step_has_ended();
  CHECK(run.work_left() == doctest::Approx(times * work));
  run.may_spend(0.5 * work);
  CHECK(run.left().max_work == doctest::Approx(0.5 * work));
  run.may_spend(std::numeric_limits<double>::infinity());
  CHECK(run.left().max_work == doctest::Approx(times * work));
  for (int turn = 0; turn < 2; ++turn) run.sequence().add(spent);
  run.may_spend(std::numeric_limits<double>::infinity());
  CHECK(run.left().max_work == doctest::Approx((times - 2) * work));
}
