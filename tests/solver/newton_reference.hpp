#pragma once
// What Newton says of a problem, for other solvers to be compared with.

#include <doctest/doctest.h>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <solver/random_problem.hpp>

namespace locdyn::test {

/// The velocities (3m), rows in sweep order, of a solution by Newton to `tolerance` and better.
inline Eigen::VectorXd velocities_by_newton(LocalDynamics ldy, double tolerance) {
  NewtonOptions newton;
  newton.stop.tolerance = tolerance;
  REQUIRE(solve_newton(ldy, newton).status == SolveStatus::converged);
  (void)evaluate_residual(ldy);
  return velocities(ldy);
}

/// How far the velocities of R in the graph lie from others, over ‖b‖.
inline double velocities_apart(LocalDynamics& ldy, const Eigen::VectorXd& others) {
  (void)evaluate_residual(ldy);
  return (velocities(ldy) - others).norm() / load_norm(ldy);
}

}  // namespace locdyn::test
