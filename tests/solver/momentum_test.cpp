// Momentum for sweeps: the rule by hand, what it saves, and that R and velocities are carried on together.

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <stdexcept>
#include <vector>

#include <ldy/assembly/random_scene.hpp>
#include <locdyn/ldy/islands.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/carried_rows.hpp>
#include <locdyn/solver/nsgs/momentum.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include <solver/random_problem.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// Sweeps to the tolerance from R = 0.
long sweeps_to(LocalDynamics& ldy, double tolerance, bool momentum) {
  clear(ldy);
  NsgsOptions options;
  options.stop.tolerance = tolerance;
  options.stop.max_iterations = 100'000;
  options.momentum = momentum;
  const SolveReport report = solve_nsgs(ldy, options);
  CHECK(report.status == SolveStatus::converged);
  CHECK(evaluate_residual(ldy).scaled <= tolerance);
  return report.iterations;
}

}  // namespace

TEST_CASE("momentum: the share grows while steps shrink, is cut where they grow, and begins anew") {
  Momentum momentum;
  CHECK(momentum.share() == 0);
  double change = 1;
  std::vector<double> share;
  for (int k = 0; k < 24; ++k) {
    momentum.after_sweep(change *= 0.9);
    share.push_back(momentum.share());
  }
  CHECK(share[0] == 0);  // there was no step before
  CHECK(share[1] == doctest::Approx(0.2817).epsilon(1e-3));
  for (std::size_t k = 1; k < 9; ++k) CHECK(share[k] >= share[k - 1]);
  CHECK(share[10] == doctest::Approx(1 - 1 / 3.0));
  CHECK(share[23] > share[10]);
  for (int k = 0; k < 11; ++k) momentum.after_sweep(change);
  const double before = momentum.share();
  momentum.after_sweep(2 * change);
  CHECK(momentum.share() == 0);
  for (int k = 0; k < 11; ++k) momentum.after_sweep(change);
  CHECK(momentum.share() > 0);
  CHECK(momentum.share() < before);
  momentum.restart();
  CHECK(momentum.share() == 0);
  for (int k = 0; k < 2000; ++k) momentum.after_sweep(change *= 0.99);
  CHECK(momentum.share() > 0.9);
  CHECK(momentum.share() <= 1 - 1 / 50.0);
}

TEST_CASE("momentum: a chain and a wall need a fraction of the sweeps, for the same velocities") {
  LocalDynamics bars = chain(40);
  const long bars_plain = sweeps_to(bars, 1e-10, false);
  const Eigen::VectorXd R = reactions(bars);
  const long bars_carried = sweeps_to(bars, 1e-10, true);
  MESSAGE("chain ", bars_plain, " sweeps, ", bars_carried, " with momentum");
  CHECK(3 * bars_carried < bars_plain);
  CHECK((reactions(bars) - R).norm() <= 1e-6 * R.norm());
  constexpr double kTolerance = 1e-9;
  const BuiltinProblem problem = make_builtin("wall", 200);
  LocalDynamics& wall = *problem.ldy;
  const long wall_plain = sweeps_to(wall, kTolerance, false);
  const Eigen::VectorXd U = velocities(wall);
  const long wall_carried = sweeps_to(wall, kTolerance, true);
  MESSAGE("wall ", wall_plain, " sweeps, ", wall_carried, " with momentum");
  CHECK(3 * wall_carried < wall_plain);
  CHECK((velocities(wall) - U).norm() <= 1e-6 * load_norm(wall));
  const BuiltinProblem arch = make_builtin("arch", 200);  // plain sweeps have not ended after 100 000
  CHECK(sweeps_to(*arch.ldy, kTolerance, true) < 20'000);
}

TEST_CASE("momentum: with every law it ends") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    LocalDynamics ldy = random_problem({.contacts = 10, .planar = 3, .bilateral = 5, .hinges = 2}, seed);
    CHECK(sweeps_to(ldy, 1e-10, true) > 0);
  }
}

TEST_CASE("momentum: rows of a graph move by the share of their last step") {
  LocalDynamics ldy;
  ldy.insert(ContactLaw{.friction = 0.5});
  Eigen::Vector3d& R = ldy.row(ConstraintId{0}).R;
  CarriedRows rows;
  R = {0, 0, 1};
  rows.carry_on(ldy, 0.5);
  CHECK(R[2] == 1);  // the first time there is no step
  R = {0, 0, 3};
  rows.carry_on(ldy, 0.5);
  CHECK(R[2] == 4);
  R = {0, 0, 2};  // from 3, not from 4
  rows.carry_on(ldy, 0.5);
  CHECK(R[2] == 1.5);
}

TEST_CASE("momentum: parts move by their own share, as the whole does by one") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    RandomScene scene(seed, 60);
    LocalDynamics ldy;
    Assembly assembly(scene.bodies, ldy);
    for (int i = 0; i < 20; ++i) assembly.insert(scene.make_constraint().constraint);
    assembly.update(RandomScene::h);
    const SweepSchedule schedule = grouped_schedule(ldy);
    const Islands islands = find_islands(ldy);
    REQUIRE(islands.count > 1);
    std::vector<Index> part;
    for (const ConstraintId id : schedule.sequence) part.push_back(islands.label[id]);
    const auto run = [&](VelocitySweep& sweep, const std::vector<double>* share) {
      std::vector<double> change2(islands.count);
      const std::vector<double> plain(islands.count, 1.0);
      if (share != nullptr) sweep.divide(part);
      for (int k = 0; k < 5; ++k) {
        share != nullptr ? sweep.carry_parts_on(*share) : sweep.carry_on(0.7);
        share != nullptr ? sweep.run_parts(plain, change2) : (void)sweep.run(SweepDirection::forward, 1);
      }
      sweep.write_reactions();
      sweep.write_velocities();
      Eigen::VectorXd both(2 * reactions(ldy).size());
      both << reactions(ldy), velocities(ldy);
      return both;
    };
    clear(ldy);
    VelocitySweep whole(ldy, schedule), parts(ldy, schedule), mixed(ldy, schedule);
    std::vector<double> same(islands.count, 0.7), first_rests = same;
    first_rests[0] = 0;
    const Eigen::VectorXd expected = run(whole, nullptr);
    CHECK(run(parts, &same) == expected);
    const Eigen::VectorXd apart = run(mixed, &first_rests);
    CHECK(apart != expected);
    const auto n = expected.size() / 2;
    for (const DiagonalBlock& row : ldy.rows()) {
      if (islands.label[row.constraint] == 0) continue;
      const auto at = 3 * (&row - ldy.diagonal_arena().data());
      CHECK(apart.segment<3>(at) == expected.segment<3>(at));
      CHECK(apart.segment<3>(n + at) == expected.segment<3>(n + at));
    }
  }
}

TEST_CASE("nsgs: turns with R changed in between end where one call does") {
  const LocalDynamics problem = random_problem({.contacts = 10, .planar = 3, .bilateral = 5, .hinges = 2}, 7);
  LocalDynamics ldy = problem;
  NsgsOptions options;
  options.stop.tolerance = 1e-12;
  REQUIRE(solve_nsgs(ldy, options).status == SolveStatus::converged);
  const Eigen::VectorXd R = reactions(ldy);
  clear(ldy);
  GaussSeidel sweeps(ldy, options);
  StopOptions few = options.stop;
  few.max_iterations = 30;
  CHECK(sweeps.solve(few, 1.0).iterations <= 30);
  for (DiagonalBlock& row : ldy.rows()) row.R *= 2;
  CHECK_THROWS_WITH_AS((void)sweeps.solve(options.stop, 2.0), doctest::Contains("nsgs: relaxation"),
                       std::invalid_argument);
  const SolveReport report = sweeps.solve(options.stop, 1.2);
  CHECK(report.status == SolveStatus::converged);
  CHECK((reactions(ldy) - R).norm() <= 1e-10 * R.norm());
}
