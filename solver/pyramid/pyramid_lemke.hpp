#pragma once
// The friction pyramid by a pivoting method: the graph's islands one after the other, bilateral rows eliminated, the
// contacts' complementarity problem by Lemke's method (lemke.hpp). Direct: exact to rounding or `failed`, no sweeps.
//
// Source: Stewart & Trinkle, IJNME 39 (1996) 2673–2691; Anitescu & Potra, Nonlinear Dynamics 14 (1997) 231–247.

#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

struct PyramidLemkeOptions {
  StopOptions stop;  ///< on the pyramid's own residual; iterations are pivots, of all islands together
  int facets = 8;    ///< k ≥ 3, as FrictionPyramid; planar contacts have the two directions ±t1 whatever k
  int attempts = 3;  ///< covering vectors tried on an island where a ray or a bad pivot ends the method, ≥ 1
  long max_rows =
      4000;  ///< largest island, in scalar rows in use (three a contact), ≥ 1; memory goes as 64 bytes · rows²
};

/// Solves for the pyramid's reactions; the R on entry stays where it meets the tolerance already, or is the better one.
/// Status `failed` where an island is larger than `max_rows` (nothing is computed then) or where all attempts on an
/// island end in a ray or a singular basis; `stalled` where bilateral rows contradict each other, or rounding leaves
/// more than the tolerance. Cost: O(rows³) an island to set up, O(rows²) a pivot. Throws std::invalid_argument as
/// check_options and check_problem do, for options out of range and laws that have no pyramid (elliptic, rolling).
SolveReport solve_pyramid_lemke(LocalDynamics& ldy, const PyramidLemkeOptions& options);

}  // namespace locdyn::detail
