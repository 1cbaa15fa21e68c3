// Long steps for slow sweeps: when they are taken, how far, and that a bad one is taken back.

#include <doctest/doctest.h>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/extrapolation.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <solver/dense_problem.hpp>
#include <solver/random_problem.hpp>
#include <stdexcept>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// One contact of friction ½ with W = 2 I and R = 0.
LocalDynamics one_contact() {
  LocalDynamics ldy;
  const ConstraintId id = ldy.insert(ContactLaw{.friction = 0.5});
  ldy.row(id).W = 2 * Eigen::Matrix3d::Identity();
  return ldy;
}

}  // namespace

TEST_CASE("extrapolation: steps that shrink geometrically jump to their limit") {
  LocalDynamics ldy = one_contact();
  Extrapolation extrapolation(ldy);
  ldy.row(ConstraintId{0}).R = {0.1, 0, 1};
  CHECK_FALSE(extrapolation.after_window(1.0));
  ldy.row(ConstraintId{0}).R = {0.125, 0, 1.25};  // a quarter of the step before: the limit of the series is 4/3
  CHECK(extrapolation.after_window(0.5));
  CHECK(ldy.row(ConstraintId{0}).R[2] == doctest::Approx(4.0 / 3));
  CHECK(ldy.row(ConstraintId{0}).R[0] == doctest::Approx(0.4 / 3));
  CHECK(extrapolation.jumps() == 1);
}

TEST_CASE("extrapolation: jumps double while the residual takes them, and a bad one is taken back") {
  LocalDynamics ldy = one_contact();
  Extrapolation extrapolation(ldy);
  double height = 0;
  const auto walk = [&](double residual) {
    height += 1;
    ldy.row(ConstraintId{0}).R = {0, 0, height};
    return extrapolation.after_window(residual);
  };
  for (double length = 1; length <= 8; length *= 2) {
    CAPTURE(length);
    CHECK_FALSE(walk(1.0));
    CHECK(walk(1.0));
    CHECK(ldy.row(ConstraintId{0}).R[2] == height + length);
    height += length;
    CHECK_FALSE(walk(1.0));  // settled
  }
  CHECK_FALSE(walk(1.0));
  CHECK(walk(1.0));
  const double before = height;
  CHECK(ldy.row(ConstraintId{0}).R[2] == height + 16);
  CHECK(walk(1.2));
  CHECK(ldy.row(ConstraintId{0}).R[2] == before);
  height = before;
  CHECK_FALSE(walk(1.0));
  CHECK(walk(1.0));
  CHECK(ldy.row(ConstraintId{0}).R[2] == height + 4);
}

TEST_CASE("extrapolation: no jump where steps turn, after a restart, or out of the cone") {
  LocalDynamics ldy = one_contact();
  Extrapolation extrapolation(ldy);
  ldy.row(ConstraintId{0}).R = {0, 0, 1};
  CHECK_FALSE(extrapolation.after_window(1.0));
  ldy.row(ConstraintId{0}).R = {0.5, 0, 1};  // across
  CHECK_FALSE(extrapolation.after_window(1.0));
  extrapolation.restart();
  ldy.row(ConstraintId{0}).R = {1, 0, 2};
  CHECK_FALSE(extrapolation.after_window(1.0));
  ldy.row(ConstraintId{0}).R = {2, 0, 4};  // the same way, along the edge of the cone: the jump stays on it
  CHECK(extrapolation.after_window(1.0));
  CHECK(ldy.row(ConstraintId{0}).R[0] == doctest::Approx(0.5 * ldy.row(ConstraintId{0}).R[2]));
  CHECK(ldy.row(ConstraintId{0}).R[2] > 4);
}

TEST_CASE("extrapolation: a wall needs fewer than half the sweeps, for the same velocities") {
  const BuiltinProblem problem = make_builtin("wall", 200);
  LocalDynamics& ldy = *problem.ldy;
  constexpr double kTolerance = 1e-9;
  constexpr int kMost = 20'000, kWindow = 25;
  int plain = 0;
  GaussSeidelSweep sweep(ldy);
  while (plain < kMost && evaluate_residual(ldy).scaled > kTolerance) {
    for (int k = 0; k < kWindow; ++k) sweep.run(SweepDirection::forward, 1.0);
    plain += kWindow;
  }
  const Eigen::VectorXd U = velocities(ldy);
  clear(ldy);
  int helped = 0;
  Extrapolation extrapolation(ldy);
  double residual = evaluate_residual(ldy).scaled;
  while (helped < kMost && residual > kTolerance) {
    for (int k = 0; k < kWindow; ++k) sweep.run(SweepDirection::forward, 1.0);
    helped += kWindow;
    residual = evaluate_residual(ldy).scaled;
    if (residual > kTolerance) (void)extrapolation.after_window(residual);
  }
  MESSAGE(plain, " sweeps, ", helped, " with jumps, of which ", extrapolation.jumps());
  CHECK(residual <= kTolerance);
  CHECK(2 * helped < plain);
  CHECK((velocities(ldy) - U).norm() <= 1e-6 * load_norm(ldy));
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
