#pragma once
// What Newton says of a problem, for other solvers to be compared with.

#include <doctest/doctest.h>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/registry.hpp>
#include <solver/random_problem.hpp>

namespace locdyn::test {
using namespace locdyn::detail;

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

/// The solver of that name on `ldy`, with that tolerance: it converges by factors, says so truthfully, and comes to the
/// velocities of Newton, apart by at most `apart`.
inline SolveReport check_beside_newton(LocalDynamics& ldy, const char* name, double tolerance, double apart) {
  const Eigen::VectorXd direct = velocities_by_newton(ldy, 0.1 * tolerance);
  const SolveReport report = find_solver(name).solve(ldy, {.tolerance = tolerance}, 8);
  CAPTURE(report.reason);
  CHECK(report.status == SolveStatus::converged);
  CHECK(report.solver == name);
  CHECK(report.factorisation_flops > 0);
  CHECK(report.residual.scaled == evaluate_residual(ldy).scaled);
  CHECK(velocities_apart(ldy, direct) <= apart);
  return report;
}

}  // namespace locdyn::test
