// All solvers on the built-in problems: the residual always, U where it is unique.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include "builtin/builtin.hpp"
#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/registry.hpp>
#include <solver/random_problem.hpp>
#include <stdexcept>
#include <string>
#include <variant>

using namespace locdyn;
using namespace locdyn::test;

namespace {

// The largest R·U over the largest ‖R‖ [m/s], over contacts with σ = 0: friction takes energy, e = 0 gives none back.
double largest_gain(const LocalDynamics& ldy) {
  double gain = 0, force = 0;
  for (const auto& row : ldy.rows()) {
    const auto* contact = std::get_if<ContactLaw>(&ldy.law(row.constraint));
    if (contact == nullptr || !contact->shift.isZero(0)) continue;
    gain = std::max(gain, row.R.dot(row.U));
    force = std::max(force, row.R.norm());
  }
  return force > 0 ? gain / force : 0;
}

}  // namespace

TEST_CASE("auto, nsgs and newton agree on every built-in scene") {
  for (const BuiltinScene& scene : builtin_scenes()) {
    CAPTURE(scene.name);
    const BuiltinProblem problem = make_builtin(scene.name, std::min<std::size_t>(scene.default_size, 200));
    double load = 0;
    for (const auto& row : problem.ldy->rows()) load += row.B.squaredNorm();
    Eigen::VectorXd U;
    for (const std::string name : {"auto", "nsgs", "newton"}) {
      CAPTURE(name);
      LocalDynamics ldy = *problem.ldy;
      // Sweeps may take for ever on a tall stack; they say so.
      const StopOptions stop{.tolerance = 1e-8, .max_iterations = name == "nsgs" ? 60'000 : 1'000'000};
      const SolveReport report = find_solver(name).solve(ldy, stop, 8);
      CAPTURE(report.reason);
      if (name != "nsgs") CHECK(report.status == SolveStatus::converged);
      const Residual judged = evaluate_residual(ldy);
      CHECK(report.residual.scaled == judged.scaled);
      CHECK((report.status == SolveStatus::converged) == (judged.scaled <= std::max(1e-8, judged.floor)));
      double difference = 0;
      if (report.status == SolveStatus::converged) {
        if (U.size() == 0) U = velocities(ldy);
        difference = (velocities(ldy) - U).norm() / std::sqrt(load);
        // The residual is 1e-8 ‖b‖; what it leaves open in U grows with the conditioning of the scene.
        CHECK(difference <= 1e-6);
        CHECK(largest_gain(ldy) <= 1e-8 * std::sqrt(load));
      }
      MESSAGE(std::string(scene.name), ", ", name, ": ", std::string(to_string(report.status)), ", ", report.iterations,
              " iterations, ", report.seconds, " s, scaled ", report.residual.scaled, ", U differs by ", difference,
              " ‖B‖");
    }
  }
}

TEST_CASE("auto: rounds out of range are refused, naming the field") {
  LocalDynamics ldy = random_problem({.contacts = 2}, 1);
  AutoOptions options;
  options.rounds = 0;
  CHECK_THROWS_WITH_AS((void)solve_auto(ldy, options), doctest::Contains("auto: rounds"), std::invalid_argument);
}
