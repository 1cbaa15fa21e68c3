// Solvers and the judge.

#include <array>
#include <cstdint>
#include <string>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/registry.hpp>

#include "outcome.hpp"
#include "problem.hpp"

namespace locdyn::c {
namespace {

constexpr std::array kMeasures{Measure::scaled, Measure::relative, Measure::absolute};
constexpr std::array kOutcomes{SolveStatus::converged, SolveStatus::max_iterations, SolveStatus::max_time,
                               SolveStatus::stalled,   SolveStatus::diverged,       SolveStatus::failed};

locdyn_solve_options defaults() {
  const StopOptions stop;
  return {.size = sizeof(locdyn_solve_options),
          .solver = "auto",
          .tolerance = stop.tolerance,
          .measure = LOCDYN_SCALED,
          .max_seconds = stop.max_seconds,
          .max_iterations = stop.max_iterations,
          .threads = stop.threads,
          .facets = SolverChoices().facets};
}

StopOptions stop_of(const locdyn_solve_options& options) {
  if (options.measure < 0 || options.measure >= static_cast<int>(kMeasures.size())) {
    refuse("options.measure", "LOCDYN_SCALED, LOCDYN_RELATIVE or LOCDYN_ABSOLUTE", std::to_string(options.measure));
  }
  return {.tolerance = options.tolerance,
          .measure = kMeasures[static_cast<std::size_t>(options.measure)],
          .max_seconds = options.max_seconds,
          .max_iterations = options.max_iterations,
          .threads = options.threads};
}

void fill(locdyn_solve_report& target, const SolveReport& report) {
  target.outcome = outcome_of(report.status);
  copy_text(report.solver, target.solver);
  copy_text(report.reason, target.reason);
  target.iterations = report.iterations;
  target.own_residual = report.own_residual;
  target.seconds = report.seconds;
}

}  // namespace

locdyn_outcome outcome_of(SolveStatus status) {
  for (std::size_t k = 0; k < kOutcomes.size(); ++k) {
    if (kOutcomes[k] == status) return static_cast<locdyn_outcome>(k);
  }
  throw std::runtime_error("outcome: expected a status of solve_report.hpp, found another");
}

}  // namespace locdyn::c

using namespace locdyn;
using namespace locdyn::c;

size_t locdyn_solver_count(void) {
  return solvers().size();
}

const char* locdyn_solver_name(size_t index) {
  return index < solvers().size() ? solvers()[index].name.data() : nullptr;  // of literals: they end with 0
}

const char* locdyn_outcome_name(int outcome) {
  if (outcome < 0 || outcome >= static_cast<int>(kOutcomes.size())) return "unknown";
  return to_string(kOutcomes[static_cast<std::size_t>(outcome)]);
}

locdyn_status locdyn_solve_options_init(locdyn_solve_options* options, size_t size) {
  return guarded([&] {
    require(options, "options");
    require_size("size", sizeof *options, size);
    *options = defaults();
  });
}

locdyn_status locdyn_solve(locdyn_problem* problem, const locdyn_solve_options* options, locdyn_solve_report* report) {
  return guarded([&] {
    LocalDynamics& ldy = live(problem).ldy;
    const locdyn_solve_options usual = defaults();
    const locdyn_solve_options& chosen = options != nullptr ? *options : usual;
    require_size("options.size", sizeof chosen, chosen.size);
    require(chosen.solver, "options.solver");
    if (report != nullptr) require_size("report.size", sizeof *report, report->size);
    const SolveReport found = find_solver(chosen.solver).solve(ldy, stop_of(chosen), SolverChoices(chosen.facets));
    if (report != nullptr) fill(*report, found);
  });
}

locdyn_status locdyn_problem_residual(locdyn_problem* problem, locdyn_residual* residual) {
  return guarded([&] {
    LocalDynamics& ldy = live(problem).ldy;
    require(residual, "residual");
    require_size("residual.size", sizeof *residual, residual->size);
    const Residual found = evaluate_residual(ldy);
    *residual = {.size = sizeof *residual,
                 .scaled = found.scaled,
                 .relative = found.relative,
                 .absolute = found.absolute,
                 .floor = found.floor,
                 .cone = found.cone,
                 .penetration = found.penetration,
                 .complementarity = found.complementarity,
                 .worst = found.worst == kNone ? -1 : std::int64_t{found.worst}};
  });
}
