#pragma once
// The default solver: sweeps first, the direct solve when the contraction observed says that sweeps will not get there,
// in turn and with growing budgets until one of them does.

#include <cstddef>

#include <locdyn/solver/solve_options.hpp>

namespace locdyn {

struct AutoOptions {
  StopOptions stop;  ///< iterations count sweeps and Newton steps alike
  int rounds = 10;   ///< turns of sweeps and Newton before it gives up, ≥ 1
  /// From so many constraints on islands are solved apart, where none holds more than half of them: smaller problems
  /// take less time as a whole.
  std::size_t apart_from = 2000;
};

/// Solves to the tolerance with `nsgs`, `schwarz`, `admm` and `newton`; where Newton has stalled near a solution,
/// `interior` has a turn, and `path` where the others have spent a share of what it costs. Islands are solved apart on
/// `stop.threads` threads (`solve_apart`) where there are many. The report names the solver that finished; its
/// iterations, stages and history are those of all turns. R on entry is the warm start; the best iterate is left in the
/// graph. What comes next is decided by counts and residuals, never by the clock. Throws std::invalid_argument as
/// `check_options` and `check_problem` do.
[[nodiscard]] SolveReport solve_auto(LocalDynamics& ldy, const AutoOptions& options);

}  // namespace locdyn
