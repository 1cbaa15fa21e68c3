// `auto` on what makes solvers fail: extreme mass ratios, W that no body has, limits of time.

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <locdyn/dynamics/builtin.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/auto.hpp>
#include <solver/dense_problem.hpp>
#include <solver/random_problem.hpp>

using namespace locdyn;
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
    ldy.row(k).W = Eigen::Matrix3d::Identity();
  }
  ldy.couple(0, 1);
  ldy.find(0, 0, 1, 0)->W(2, 2) = 2;
  ldy.find(1, 0, 0, 0)->W(2, 2) = 2;
  ldy.row(0).B[2] = -1;
  ldy.row(1).B[2] = 0.5;
  const SolveReport report = solve_auto(ldy, {});
  CHECK(report.status == SolveStatus::converged);
  CHECK(ldy.row(0).R[2] == doctest::Approx(1));
  CHECK(ldy.row(1).R[2] == doctest::Approx(0));
}

TEST_CASE("auto: an indefinite W without a solution ends as stalled with the best iterate") {
  // W = −I in the normal rows, B < 0: U = B − R < 0 for every R ≥ 0.
  LocalDynamics ldy;
  ldy.insert(ContactLaw{.friction = 0.3});
  ldy.row(0).W = Eigen::Vector3d(1, 1, -1).asDiagonal();
  ldy.row(0).B[2] = -1;
  AutoOptions options;
  options.stop.max_seconds = 60;  // far above what it takes
  const SolveReport report = solve_auto(ldy, options);
  CHECK(report.status == SolveStatus::stalled);
  CHECK_FALSE(report.reason.empty());
  CHECK(ldy.row(0).R.allFinite());
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
