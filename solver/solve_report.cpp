#include <locdyn/solver/solve_report.hpp>

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

}  // namespace locdyn
