#pragma once
// Nonsmooth Gauss–Seidel over the graph, for contacts and bilateral constraints together.

#include <locdyn/solver/solve_options.hpp>

namespace locdyn {

struct NsgsOptions {
  StopOptions stop;
  double relaxation = 1.0;  ///< ω in (0, 2): over-relaxation above 1, under-relaxation below
  bool symmetric = false;   ///< every other sweep runs backwards
  /// Sweeps without a gain of 1 % in the best residual after which it has stalled; half the sweeps done where that is
  /// more. ≥ 1.
  long stall_window = 2000;
};

/// Sweeps until the full residual meets the tolerance. The residual is taken when the change of a sweep says that it
/// may, and every 25 sweeps: at most one residual, the cost of a sweep, in 12. R on entry is the warm start; the best
/// iterate judged is left in the graph. Throws std::invalid_argument as `check_options` and `check_problem` do.
/// Source: Jean, CMAME 177 (1999) 235–257.
[[nodiscard]] SolveReport solve_nsgs(LocalDynamics& ldy, const NsgsOptions& options);

}  // namespace locdyn
