// Alternating directions beside Newton, on the corners of the cone program, and what the solver refuses.

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/convex/admm.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <solver/newton_reference.hpp>
#include <stdexcept>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

TEST_CASE("admm: the velocities of newton on built-in scenes, from nothing and from a solution of loads near by") {
  for (const char* name : {"wall", "spheres", "stack"}) {
    CAPTURE(name);
    const BuiltinProblem problem = make_builtin(name, 60);
    LocalDynamics ldy = *problem.ldy;
    const SolveReport report = check_beside_newton(ldy, "admm", 1e-9, 1e-7);

    for (auto& row : ldy.rows()) row.B *= 1.0001;
    const SolveReport warm = find_solver("admm").solve(ldy, {.tolerance = 1e-9}, 8);
    CHECK(warm.status == SolveStatus::converged);
    CHECK(warm.iterations <= report.iterations);
  }
}

TEST_CASE("admm: planar contacts, no friction, bilateral rows that repeat each other, W without full rank") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    for (const double friction : {0.0, 0.3}) {
      CAPTURE(seed);
      CAPTURE(friction);
      LocalDynamics ldy = random_problem(
          {.contacts = 10, .planar = 3, .bilateral = 4, .friction = friction, .identity = 0, .freedoms = 14}, seed);
      const Eigen::VectorXd direct = velocities_by_newton(ldy, 1e-10);
      AdmmOptions options;
      const SolveReport report = solve_admm(ldy, options);
      CAPTURE(report.reason);
      CAPTURE(report.residual.scaled);
      CHECK(report.status == SolveStatus::converged);
      CHECK(joint_velocity_error(ldy) <= 1e-8 * load_norm(ldy));
      CHECK(velocities_apart(ldy, direct) <= 1e-5);
    }
  }
}

TEST_CASE("admm: what W has beyond its symmetric part counts") {
  LocalDynamics ldy = random_problem({.contacts = 8}, 3);
  for (auto& block : ldy.off_diagonal_arena()) block.W *= 1 + 1e-3 * block.W(0, 0);
  for (auto& row : ldy.rows()) row.W(0, 2) += 1e-3 * row.W(2, 2);
  const SolveReport report = solve_admm(ldy, {});
  CHECK(report.status == SolveStatus::converged);
  CHECK(evaluate_residual(ldy).scaled <= 1e-8);
}

TEST_CASE("admm: an indefinite W is never told converged, limits are kept, and the best iterate is left") {
  LocalDynamics ldy = two_that_pull(-1e6);
  SolveReport report = solve_admm(ldy, {});
  CHECK(report.status != SolveStatus::converged);
  CHECK_FALSE(report.reason.empty());
  CHECK(report.residual.scaled > 0.1);

  LocalDynamics wall = *make_builtin("wall", 200).ldy;
  AdmmOptions options;
  options.stop.max_iterations = 7;
  report = solve_admm(wall, options);
  CHECK(report.status == SolveStatus::max_iterations);
  CHECK(report.iterations == 7);
  CHECK(report.own_residual == evaluate_residual(wall).scaled);
  options.stop.max_iterations = 1'000'000;
  options.stop.tolerance = 1e-15;
  options.stop.max_seconds = 0.05;
  CHECK(solve_admm(wall, options).seconds < 1);
}

TEST_CASE("admm: a law that it does not know and options without meaning are refused, the fault named") {
  LocalDynamics ldy;
  ldy.insert(EllipticLaw{.friction = {0.1, 0.2}});
  ldy.row(ConstraintId{0}).W.setIdentity();
  CHECK_THROWS_WITH_AS((void)solve_admm(ldy, {}),
                       "cone program: constraint 0: expected Coulomb friction or a bilateral law, found a contact with "
                       "elliptic friction",
                       std::invalid_argument);
  AdmmOptions options;
  options.penalty = 0;
  CHECK_THROWS_WITH_AS((void)solve_admm(ldy, options), "admm: penalty: expected a finite number > 0, found 0.000000",
                       std::invalid_argument);
  options = {};
  options.relaxation = 2;
  CHECK_THROWS_WITH_AS((void)solve_admm(ldy, options), "admm: relaxation: expected a number in (0, 2), found 2.000000",
                       std::invalid_argument);
  options = {};
  options.patience = 0;
  CHECK_THROWS_WITH_AS((void)solve_admm(ldy, options), "admm: patience: expected >= 1, found 0", std::invalid_argument);
}
