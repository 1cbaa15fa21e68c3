#pragma once
// The default solver: sweeps first, the direct solve when the contraction observed says that sweeps will not get there,
// in turn and with growing budgets until one of them does.

#include <locdyn/solver/solve_options.hpp>

namespace locdyn {

struct AutoOptions {
  StopOptions stop;  ///< iterations count sweeps and Newton steps alike
  int rounds = 10;   ///< turns of sweeps and Newton before it gives up, ≥ 1
};

/// Solves to the tolerance with `nsgs`, `schwarz` and `newton`; where Newton has stalled near a solution, `interior`
/// has a turn. The report names the solver that finished; its iterations, stages and history are those of all turns. R
/// on entry is the warm start; the best iterate is left in the graph. What comes next is decided by counts and
/// residuals, never by the clock. Throws std::invalid_argument as `check_options` and `check_problem` do.
[[nodiscard]] SolveReport solve_auto(LocalDynamics& ldy, const AutoOptions& options);

}  // namespace locdyn
