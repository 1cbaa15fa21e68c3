#pragma once
// Every sliding solution of any W, from one quartic. With U_t = −λ R_t the reaction is R = −N(λ)/det(W + λ P_t),
// N = adj(W + λ P_t) b, whose tangent part is linear and whose normal part is quadratic in λ, and the cone is
//
//   μ² N_n(λ)² − ‖N_t(λ)‖² = 0,   λ ≥ 0,   R_n > 0.
//
// Nothing is asked of W: the quartic enumerates where the bracket of sliding_newton.hpp does not hold.
// Source: Bonnefon & Daviet, INRIA RT-0400 (2011).

#include <Eigen/Core>
#include <array>

namespace locdyn::detail {

/// The real roots of c₀ + c₁ x + … + c₄ x⁴, c₄ ≠ 0, by Ferrari's resolvent, each polished by Newton on the quartic;
/// ascending is not promised. A pair that rounding may have made complex counts as a double root. Returns their number.
int quartic_roots(const std::array<double, 5>& c, std::array<double, 4>& roots) noexcept;

/// All λ ≥ 0 [velocity/force] that solve the quartic with R_n > 0, a root just below 0 as 0. W (3×3), b (3) with b_n ≠
/// 0, μ > 0. Returns their number.
int sliding_quartic(const Eigen::Matrix3d& W, double friction, const Eigen::Vector3d& b,
                    std::array<double, 4>& lambdas) noexcept;

}  // namespace locdyn::detail
