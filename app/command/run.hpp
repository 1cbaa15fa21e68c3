#pragma once
// One run of one solver on one problem, from R = 0, and what is kept of it.

#include <nlohmann/json.hpp>
#include <string>

#include <locdyn/solver/registry.hpp>

namespace locdyn::app {

struct Run {
  std::string problem, solver;  ///< the names that the user gave
  std::size_t contacts = 0;     ///< constraints of the graph
  std::size_t blocks = 0;       ///< off-diagonal 3×3 blocks
  bool pyramid = false;         ///< converged on its own pyramid's residual
  double joint_error = -1;      ///< largest velocity error of joint rows [m/s]; negative where there are no joints
  SolveReport report;
};

/// Sets R = 0 and solves; leaves the best iterate in the graph. The time is the wall clock of the call where the
/// solver reports none. Throws what the solver throws.
[[nodiscard]] Run run_solver(LocalDynamics& ldy, const std::string& problem, const SolverEntry& solver,
                             const StopOptions& stop, const SolverChoices& choices);

/// {"scaled","relative","absolute","floor"}.
[[nodiscard]] nlohmann::ordered_json residual_json(const Residual& residual);

/// The text of a JSON value: not-a-number and infinity as null, bytes that are not UTF-8 replaced.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace locdyn::app
