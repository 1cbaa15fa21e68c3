#pragma once
// The solver of time steps: sweeps through the velocities of bodies, and where they will not get there, Newton in the
// same space, in turn. A step of a moving scene starts close to its solution: a few dozen sweeps bring it to 1e-3, and
// a Newton step, a sparse LU by body blocks, costs some 20 to 40 sweeps and takes the rest. Sweeps go on as long as the
// contraction observed promises less than Newton is expected to cost. Where a Newton step is dear, many loose bodies in
// one island, and not too dear, or sweeps had momentum, Newton goes on as long as the residual keeps halving; then it
// has its turn first on the few clusters of contacts that hold the residual (`schwarz`), and where those leave it far
// off sweeps with momentum lead there. Where Newton stands still, it begins anew from R = 0, far from a solution by a
// weight that falls about it, and the central path (`path`) is tried, each once, the path for a share of what was spent
// until then.

#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

struct SweepsAndNewtonOptions {
  StopOptions stop;    ///< iterations count sweeps and Newton steps alike
  int rounds = 6;      ///< turns of all before it gives up, ≥ 1; each may take twice as long as the one before
  bool swept = false;  ///< sweeps have just been given up: the first round does without, unless Newton's steps are dear
};

/// For graphs that know their factor (`works_in_velocities`); on others each turn costs what the blocks of W do. R on
/// entry is the warm start; the best iterate is left in the graph. What comes next is decided by counts and residuals.
/// `failed` where no reactions solve it (`search_pressing`), or where all rounds end far from a solution. Throws
/// std::invalid_argument as `check_options` and `check_problem` do.
[[nodiscard]] SolveReport solve_sweeps_and_newton(LocalDynamics& ldy, const SweepsAndNewtonOptions& options);

}  // namespace locdyn::detail
