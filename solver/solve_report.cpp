#include <locdyn/solver/solve_report.hpp>

#include <utility>

namespace locdyn {

const char* to_string(SolveStatus status) noexcept {
  switch (status) {
    case SolveStatus::converged: return "converged";
    case SolveStatus::max_iterations: return "max_iterations";
    case SolveStatus::max_time: return "max_time";
    case SolveStatus::stalled: return "stalled";
    case SolveStatus::diverged: return "diverged";
    case SolveStatus::failed: return "failed";
  }
  return "unknown";
}

// A block product is 9 multiplications and additions. Factorisations multiply dense blocks.
double SolveCost::work() const noexcept {
  constexpr double kOfBlock = 18, kOfFlop = 1.6;
  return kOfBlock * block_products + kOfFlop * factorisation_flops;
}

void SolveCost::add_cost(const SolveCost& part) noexcept {
  stages.setup += part.stages.setup;
  stages.sweeps += part.stages.sweeps;
  stages.factorisation += part.stages.factorisation;
  stages.residual += part.stages.residual;
  block_products += part.block_products;
  factorisation_flops += part.factorisation_flops;
  factorisations += part.factorisations;
}

void SolveReport::follow_with(SolveReport turn) {
  for (Sample& sample : turn.history) {
    sample.iteration += iterations;
    sample.seconds += seconds;
  }
  history.insert(history.end(), turn.history.begin(), turn.history.end());
  turn.history = std::move(history);
  turn.iterations += iterations;
  turn.seconds += seconds;
  turn.add_cost(*this);
  *this = std::move(turn);
}

void SideBySide::add(const SolveReport& report) {
  add_cost(report);
  ++solved;
  iterations += report.iterations;
  if (report.status == SolveStatus::converged) return;
  if (unconverged++ > 0) return;
  status = report.status;
  reason = report.reason;
}

}  // namespace locdyn
