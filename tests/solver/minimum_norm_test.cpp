// Reactions of least norm: against the pseudo-inverse where no cone is in the way, one answer from many solutions where
// they are, the velocities of the solution, and what it refuses.

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <limits>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/convex/minimum_norm.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/least_norm.hpp>
#include <random>
#include <solver/random_problem.hpp>
#include <stdexcept>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// A plate of three freedoms (height, two tilts) on frictionless supports at (x, y), pressed by a load of forces and
// moments: W = A Aᵀ with the rows (1, x, y), B = A load.
LocalDynamics plate(const Eigen::MatrixXd& A, const Eigen::Vector3d& load) {
  LocalDynamics ldy;
  const auto count = static_cast<ConstraintId>(A.rows());
  for (ConstraintId i{0}; i < count; ++i) ldy.insert(ContactLaw{.friction = 0});
  for (ConstraintId i{0}; i < count; ++i) {
    for (ConstraintId j{0}; j < count; ++j) {
      if (j < i) ldy.couple(j, i);
    }
  }
  for (ConstraintId i{0}; i < count; ++i) {
    ldy.row(i).W = A.row(i).squaredNorm() * Eigen::Matrix3d::Identity();
    ldy.row(i).B = {0, 0, A.row(i).dot(load)};
    for (ConstraintId j{0}; j < count; ++j) {
      if (j == i) continue;
      ldy.find(i, 0, j, 0)->W = Eigen::Matrix3d::Zero();
      ldy.find(i, 0, j, 0)->W(2, 2) = A.row(i).dot(A.row(j));
    }
  }
  return ldy;
}

Eigen::VectorXd normal_reactions(const LocalDynamics& ldy) {
  Eigen::VectorXd R(ldy.row_count());
  Eigen::Index at = 0;
  for (const auto& row : ldy.rows()) R[at++] = row.R[2];
  return R;
}

}  // namespace

TEST_CASE("minimum norm: a plate on six supports has the forces of the pseudo-inverse") {
  Eigen::MatrixXd A(6, 3);
  A << 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0.5, 0.2, 1, 0.3, 0.9;
  const Eigen::Vector3d load(-6, -3, -3);  // pressed in the middle
  LocalDynamics ldy = plate(A, load);
  AutoOptions options;
  options.stop.tolerance = 1e-10;
  REQUIRE(solve_auto(ldy, options).status == SolveStatus::converged);
  // Aᵀ R = −load.
  const Eigen::VectorXd expected = LeastNorm(A.transpose(), 1e-12).solve(-load);
  REQUIRE(expected.minCoeff() > 0);
  REQUIRE((normal_reactions(ldy) - expected).norm() > 0.1);  // sweeps find others
  const SolveReport report = minimise_norm(ldy, options.stop);
  CHECK(report.status == SolveStatus::converged);
  CHECK(report.iterations > 0);
  CHECK((normal_reactions(ldy) - expected).norm() <= 1e-6 * expected.norm());
  CHECK(report.residual.scaled <= 1e-10);
}

TEST_CASE("minimum norm: a cone in the way, a support that would have to pull") {
  // In one line, pressed near its end: without the last support's sign the least norm would pull there.
  Eigen::MatrixXd A(4, 3);
  A << 1, 0, 0, 1, 1, 0, 1, 2, 0, 1, 8, 0;
  const Eigen::Vector3d load(-3, -1.5, 0);
  const Eigen::VectorXd free = LeastNorm(A.transpose(), 1e-12).solve(-load);
  REQUIRE(free.minCoeff() < 0);
  // Without it, three supports are left: two equations.
  const Eigen::VectorXd expected = LeastNorm(A.topRows(3).transpose(), 1e-12).solve(-load);
  REQUIRE(expected.minCoeff() > 0);
  LocalDynamics ldy = plate(A, load);
  AutoOptions options;
  options.stop.tolerance = 1e-10;
  REQUIRE(solve_auto(ldy, options).status == SolveStatus::converged);
  REQUIRE(minimise_norm(ldy, options.stop).status == SolveStatus::converged);
  CHECK((normal_reactions(ldy).head(3) - expected).norm() <= 1e-6 * expected.norm());
  CHECK(normal_reactions(ldy)[3] <= 1e-6);
}

TEST_CASE("minimum norm: one answer from two solutions of a wall, with the velocities they had") {
  const BuiltinProblem problem = make_builtin("wall", 60);
  LocalDynamics one = *problem.ldy, other = *problem.ldy;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (auto& row : other.rows()) row.R = {0, 0, uniform(random)};
  AutoOptions options;
  options.stop.tolerance = 1e-10;
  REQUIRE(solve_auto(one, options).status == SolveStatus::converged);
  REQUIRE(solve_auto(other, options).status == SolveStatus::converged);
  const Eigen::VectorXd found = reactions(one);
  REQUIRE((found - reactions(other)).norm() > 1e-2 * found.norm());
  (void)evaluate_residual(one);
  const Eigen::VectorXd U = velocities(one);

  CHECK(minimise_norm(one, options.stop).status == SolveStatus::converged);
  CHECK(minimise_norm(other, options.stop).status == SolveStatus::converged);
  CHECK(reactions(one).norm() < 0.999 * found.norm());
  CHECK((reactions(one) - reactions(other)).norm() <= 1e-4 * found.norm());
  (void)evaluate_residual(one);
  CHECK((velocities(one) - U).norm() <= 1e-8 * load_norm(one));
}

TEST_CASE("minimum norm: reactions that are unique stay") {
  LocalDynamics ldy = random_problem({.contacts = 8, .planar = 2, .bilateral = 3}, 11);
  clear(ldy);
  AutoOptions options;
  options.stop.tolerance = 1e-11;
  REQUIRE(solve_auto(ldy, options).status == SolveStatus::converged);
  const Eigen::VectorXd before = reactions(ldy);
  CHECK(minimise_norm(ldy, options.stop).status == SolveStatus::converged);
  CHECK((reactions(ldy) - before).norm() <= 1e-6 * before.norm());
}

TEST_CASE("minimum norm: what it is not given, and limits that come first") {
  Eigen::MatrixXd A(4, 3);
  A << 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1;
  LocalDynamics ldy = plate(A, {-4, -2, -2});
  const SolveReport unsolved = minimise_norm(ldy, {});
  CHECK(unsolved.status == SolveStatus::failed);
  CHECK(unsolved.reason == "minimum norm: expected reactions that meet the tolerance");

  REQUIRE(solve_auto(ldy, {}).status == SolveStatus::converged);
  const Eigen::VectorXd before = reactions(ldy);
  const SolveReport limited = minimise_norm(ldy, {.max_iterations = 2});
  CHECK(limited.status == SolveStatus::max_iterations);
  CHECK(limited.reason == "the reactions of least norm were not reached; those found first are left");
  CHECK(reactions(ldy) == before);
  CHECK(minimise_norm(ldy, {.max_seconds = 1e-9}).status == SolveStatus::max_time);
  CHECK(reactions(ldy) == before);

  LocalDynamics empty;
  CHECK(minimise_norm(empty, {}).status == SolveStatus::converged);

  LocalDynamics rolling;
  rolling.insert(RollingLaw{});
  CHECK_THROWS_WITH_AS((void)minimise_norm(rolling, {}),
                       "minimum norm: expected contacts with Coulomb friction and bilateral laws alone",
                       std::invalid_argument);
  CHECK_THROWS_AS((void)minimise_norm(ldy, {.tolerance = -1}), std::invalid_argument);
}
