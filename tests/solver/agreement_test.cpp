// All solvers on the built-in problems: the residual always, U where it is unique.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <locdyn/dynamics/builtin.hpp>
#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/registry.hpp>
#include <solver/random_problem.hpp>

using namespace locdyn;
using namespace locdyn::test;

TEST_CASE("auto, nsgs and newton agree on every built-in scene") {
  for (const BuiltinScene& scene : builtin_scenes()) {
    CAPTURE(scene.name);
    const BuiltinProblem problem = make_builtin(scene.name, std::min<std::size_t>(scene.default_size, 200));
    double load = 0;
    for (const auto& row : problem.ldy->rows()) load += row.B.squaredNorm();
    Eigen::VectorXd U;
    for (const char* name : {"auto", "nsgs", "newton"}) {
      CAPTURE(name);
      LocalDynamics ldy = *problem.ldy;
      const SolveReport report = find_solver(name).solve(ldy, {.tolerance = 1e-8, .max_seconds = 20}, 8);
      CAPTURE(report.reason);
      // Sweeps may take for ever on a tall stack; they say so.
      if (std::string_view(name) != "nsgs") CHECK(report.status == SolveStatus::converged);
      const Residual judged = evaluate_residual(ldy);
      CHECK(report.residual.scaled == judged.scaled);
      CHECK((report.status == SolveStatus::converged) == (judged.scaled <= std::max(1e-8, judged.floor)));
      MESSAGE(scene.name, ", ", name, ": ", to_string(report.status), ", ", report.iterations, " iterations, ",
              report.seconds, " s, scaled ", report.residual.scaled);
      if (report.status != SolveStatus::converged) continue;
      if (U.size() == 0) U = velocities(ldy);
      MESSAGE("U differs by ", (velocities(ldy) - U).norm() / std::sqrt(load), " ‖B‖");
    }
  }
}

TEST_CASE("auto: rounds out of range are refused, naming the field") {
  LocalDynamics ldy = random_problem({.contacts = 2}, 1);
  AutoOptions options;
  options.rounds = 0;
  CHECK_THROWS_WITH_AS((void)solve_auto(ldy, options), doctest::Contains("auto: rounds"), std::invalid_argument);
}
