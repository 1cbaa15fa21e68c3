#pragma once
// The elliptic Coulomb cone K = {R : (R_1/μ_1)² + (R_2/μ_2)² ≤ R_n², R_n ≥ 0} in the frame (t1, t2, n): friction that
// differs along t1 and t2. Its support in the tangent plane gives the De Saxcé shift √(μ_1² U_1² + μ_2² U_2²), and its
// dual is K* = {U : U_n ≥ √(μ_1² U_1² + μ_2² U_2²)}, an elliptic cone of semi-axes 1/μ_i.

#include <Eigen/Core>

namespace locdyn {

namespace elliptic {

inline constexpr double kNoFriction = 1e-100;  ///< coefficients below count as 0: their squares vanish

}  // namespace elliptic

/// How far R lies outside K [N]: max(0, ‖(R_1 μ/μ_1, R_2 μ/μ_2)‖ − μ R_n, −R_n), μ the larger of the two; |R_i| where
/// μ_i = 0. `friction` (2) ≥ 0.
[[nodiscard]] double elliptic_violation(const Eigen::Vector3d& R, const Eigen::Vector2d& friction) noexcept;

/// P_K(z): the nearest point of K to z (3) in the Euclidean norm, to rounding. `friction` (2) ≥ 0; where one is 0 the
/// cone is flat, where both are the half-line R_n ≥ 0. Cost: a square root, and some four steps on a secular equation
/// outside.
[[nodiscard]] Eigen::Vector3d project_on_elliptic_cone(const Eigen::Vector3d& z,
                                                       const Eigen::Vector2d& friction) noexcept;

/// Û = U + √(μ_1² U_1² + μ_2² U_2²) n. Source: De Saxcé & Feng (1998) for the circle; the support of the ellipse.
[[nodiscard]] Eigen::Vector3d elliptic_shift(const Eigen::Vector3d& U, const Eigen::Vector2d& friction) noexcept;

}  // namespace locdyn
