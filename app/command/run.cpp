#include "run.hpp"

#include <chrono>
#include <variant>

#include <locdyn/ldy/residual.hpp>

namespace locdyn::app {

Run run_solver(LocalDynamics& ldy, const std::string& problem, const SolverEntry& solver, const StopOptions& stop,
               const SolverChoices& choices) {
  for (DiagonalBlock& row : ldy.rows()) row.R.setZero();
  Run run;
  run.problem = problem;
  run.solver = solver.name;
  run.contacts = ldy.constraint_count();
  run.blocks = ldy.off_diagonal_count();
  run.pyramid = solver.pyramid;
  const auto start = std::chrono::steady_clock::now();
  run.report = solver.solve(ldy, stop, choices);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (!(run.report.seconds > 0)) run.report.seconds = elapsed.count();
  for (const DiagonalBlock& row : ldy.rows()) {
    if (is_contact(ldy.law(row.constraint))) continue;
    (void)evaluate_residual(ldy);  // U of the iterate that is left
    run.joint_error = joint_velocity_error(ldy);
    break;
  }
  return run;
}

nlohmann::ordered_json residual_json(const Residual& residual) {
  return {{"scaled", residual.scaled},
          {"relative", residual.relative},
          {"absolute", residual.absolute},
          {"floor", residual.floor}};
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace locdyn::app
