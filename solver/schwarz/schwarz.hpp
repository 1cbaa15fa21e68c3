#pragma once
// Sweeps, and Newton on patches: Gauss–Seidel soon brings a pile's residual down to where it hardly contracts, a few
// clusters of contacts, and those are small problems for a direct solve with all else held (a multiplicative Schwarz
// method over the graph). Sweeps then carry what has changed to the rest.
//
// Source: Smith, Bjørstad & Gropp, Domain Decomposition (1996) ch. 1; Cai & Keyes, SIAM J. Sci. Comput. 24 (2002)
// 183–200 (nonlinear Schwarz).

#include <locdyn/solver/schwarz/patches.hpp>
#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

struct SchwarzOptions {
  StopOptions stop;  ///< iterations are sweeps
  PatchOptions patches;
  long sweeps = 20;        ///< between two solves of patches, ≥ 1
  bool swept = false;      ///< sweeps have just been done: patches come first
  long patience = 20;      ///< rounds in which the best residual must halve, else it has stalled, ≥ 1
  double most_spread = 1;  ///< stalled too where more than this share of the constraints covers the residual
};

/// Solves to the tolerance. R on entry is the warm start; the best iterate judged is left in the graph. Throws
/// std::invalid_argument as `check_options` and `check_problem` do. Cost of a round: its sweeps, one residual, and some
/// Newton steps on at most `patches.largest` constraints.
[[nodiscard]] SolveReport solve_schwarz(LocalDynamics& ldy, const SchwarzOptions& options);

}  // namespace locdyn::detail
