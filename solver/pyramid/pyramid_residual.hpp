#pragma once
// The residual that decides when a friction pyramid is solved: as ldy/residual with the polyhedral cone K_k for
// Coulomb's, and with the De Saxcé shift by the polygon's support function for the norm,
//
//   Û = U + σ + μ max_j(−d_jᵀ (U + σ)_t) n,   scaled = ‖D⁻¹(R − P_{K_k}(R − D Û))‖₂ / ‖b‖₂,   D = diag(d / tr W_αα)
//
// It vanishes exactly where the complementarity problem of Stewart & Trinkle, IJNME 39 (1996) 2673–2691, holds. Planar
// contacts keep Coulomb's cone, which is polyhedral there; bilateral rows their own law.

#include <locdyn/contact/friction_pyramid.hpp>
#include <locdyn/solver/iterate_watch.hpp>

namespace locdyn::detail {

/// Evaluates the residual for the R that the graph holds; leaves U = B + W R in the graph on the way. Cost: one product
/// W R and an arc tangent or two a contact. The same bits for any `threads` ≥ 1.
[[nodiscard]] Judgement evaluate_pyramid_residual(LocalDynamics& ldy, const FrictionPyramid& pyramid, int threads = 1);

}  // namespace locdyn::detail
