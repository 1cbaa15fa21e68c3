#pragma once
// Projected Gauss–Seidel on the friction pyramid: the mixed complementarity problem of Stewart & Trinkle
//
//   U_n + σ_n ≥ 0 ⟂ R_n ≥ 0,   λ + d_jᵀ (U_t + σ_t) ≥ 0 ⟂ β_j ≥ 0,   μ R_n − Σ_j β_j ≥ 0 ⟂ λ ≥ 0,   R_t = Σ_j β_j d_j
//
// with bilateral rows U + σ + C R = 0 beside it. A sweep goes through the equality blocks, then through the inequality
// blocks; it follows the links of the graph. The λ rows have a zero diagonal, and rows β_j clamped one by one under
// Σ β ≤ μ R_n stop at points that are no solution; so λ and β are eliminated: the normal row is clamped as it is
// updated, then U_t and R_t are made to satisfy the k facet rows under the bound μ R_n that this has just left.
//
// Source: Stewart & Trinkle, IJNME 39 (1996) 2673–2691; Anitescu & Potra, Nonlinear Dynamics 14 (1997) 231–247.

#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

struct PyramidPgsOptions {
  StopOptions stop;          ///< on the pyramid's own residual; iterations are sweeps
  int facets = 8;            ///< k ≥ 3, as FrictionPyramid; planar contacts have the two directions ±t1 whatever k
  long stall_sweeps = 5000;  ///< `stalled` after so many sweeps that did not better the residual by 1 %, ≥ 1
};

/// Solves for the pyramid's reactions from the R in the graph, and leaves the best R there. A sweep costs one product
/// W R; it allocates nothing, and the bits do not depend on `threads`, which serve the residual. Status `max_…`,
/// `stalled` or `diverged` where the residual is not met. Throws std::invalid_argument as check_options and
/// check_problem do, for `facets` or `stall_sweeps` out of range, and for laws that have no pyramid (elliptic,
/// rolling).
SolveReport solve_pyramid_pgs(LocalDynamics& ldy, const PyramidPgsOptions& options);

}  // namespace locdyn::detail
