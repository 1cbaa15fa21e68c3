#pragma once
// Friction of one contact under a known bound: find R_t in r P, P = conv{d_1 … d_k}, with −(q + W_tt R_t) in the
// normal cone of r P at R_t, that is maximal dissipation over the polygon (Stewart & Trinkle 1996, the rows β and λ).

#include <locdyn/contact/friction_pyramid.hpp>

namespace locdyn::detail {

/// R_t (2) for W_tt (2×2), q = U_t at R_t = 0 and the radius r = μ R_n ≥ 0. The sticking point is tried first, then the
/// facets and vertices in turn from `facet`, where the last solution lay; on exit `facet` is that of this solution.
/// Exact for every W_tt with a positive semidefinite symmetric part; else, or where rounding leaves none, the
/// candidate that violates its condition least. Cost: O(1) where the facet still holds, O(k) at most.
[[nodiscard]] Eigen::Vector2d polygon_friction(const Eigen::Matrix2d& W, const Eigen::Vector2d& q, double radius,
                                               const FrictionPyramid& pyramid, int& facet) noexcept;

}  // namespace locdyn::detail
