#pragma once
// Alternating directions of multipliers on the cone program (`cone_program`), with the De Saxcé shifts taken from the
// multiplier at every step, s = μ ‖u_t‖:
//
//   (W + C + ρ I) x = ρ z + u − (b + s n),   x̂ = ω x + (1 − ω) z,
//   z ← P_K(x̂ − u/ρ),   u ← u + ρ (z − x̂) ∈ K*:
//
// z tends to R and u to Û. A step costs one solve with a factor that stays until the penalty ρ is balanced anew. A
// linear solve carries news across the whole of a wall at once, which takes a sweep as many turns as it has courses;
// and since s moves with u instead of being held until a convex problem is solved, walls whose s is not contracted by
// that loop are no harder. Where the slip couples back so strongly that z and u circle, a larger ρ holds them. The last
// digits are slow.
//
// Source: Boyd, Parikh, Chu, Peleato & Eckstein, Found. Trends Mach. Learn. 3 (2011) 1–122, §3.4 (ω, balance of ρ);
// Acary, Brémond & Huber (2018) §6 (on these problems).

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

struct AdmmOptions {
  StopOptions stop;         ///< iterations are solves with the factor
  double penalty = 0.1;     ///< ρ at the start, over blocks of W with a unit mean diagonal, > 0
  double relaxation = 1.6;  ///< ω in (0, 2)
  long patience = 400;  ///< steps in which the best residual must fall by a tenth, else ρ grows, and it has stalled
                        ///< where that does not help, ≥ 1
};

/// Solves to the tolerance graphs that `suits_convex`. R on entry is the warm start; the best iterate judged is left in
/// the graph. Throws std::invalid_argument as `check_options` and `check_problem` do, and where a law is of another
/// kind. Cost: a sparse Cholesky factorisation of all rows for each penalty, and 4 nnz(L) operations a step.
[[nodiscard]] SolveReport solve_admm(LocalDynamics& ldy, const AdmmOptions& options);

}  // namespace locdyn::detail
