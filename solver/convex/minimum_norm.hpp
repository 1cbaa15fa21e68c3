#pragma once
// Where reactions are not unique, those of least Euclidean norm ‖R‖₂ among all that give the same velocities. With U*
// and R* a solution and s = μ ‖U*_t + σ_t‖, they are all R in K with W R = W R* and R ⟂ Û*: a convex set, whose least
// element is found by Bregman's iteration on the convex problem of `cone_program`, from q = R*:
//
//   R ← argmin over K of ½ (R − q)ᵀ W (R − q) + ½ a ‖R‖² + Û*ᵀ R,   q ← q + R* − R,
//
// which leaves a/(a + λ) of what is missing of W R = W R* in a mode of W with the eigenvalue λ > 0.
//
// Source: Osher, Burger, Goldfarb, Xu & Yin, Multiscale Model. Simul. 4 (2005) 460–489 (Bregman iteration, the method
// of multipliers in another dress).

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

/// Takes the R in the graph, which is to meet `stop`, to the solution of least ‖R‖₂ [N] with the same velocities.
/// `converged` where that one meets `stop` too; else R is left as it was, and the report says why. Iterations are
/// factorisations. Throws std::invalid_argument as `check_options` and `check_problem` do, and naming the first
/// constraint whose law is neither a contact with Coulomb friction nor bilateral. Cost: some 30 sparse Cholesky
/// factorisations of all rows for each Bregman step, of which there are two to twenty.
[[nodiscard]] SolveReport minimise_norm(LocalDynamics& ldy, const StopOptions& stop);

}  // namespace locdyn::detail
