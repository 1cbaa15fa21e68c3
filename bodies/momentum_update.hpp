#pragma once
// The rotational velocity that keeps spatial angular momentum over a step. With q* = q exp(b h Ω) and
// q⁺ = q* exp(a h Ω⁺) (a = b = ½ in the half-step scheme, a = 1, b = 0 in semi-implicit Euler), the momentum q J Ω
// changes by exactly h T, T the torque in the frame of q*, where
//
//   exp(a h Ω⁺) J Ω⁺ = π,   π = exp(−b h Ω) J Ω + h T.
//
// Source: Koziara & Bićanić, IJNME 81 (2009) 1073–1092 (the implicit momentum conserving scheme); Simo & Wong, IJNME
// 31 (1991) 19–52.

#include <Eigen/Core>

namespace locdyn {

/// Solves exp(τ Ω) J Ω = π for Ω (3) [rad/s] by a damped Newton in JΩ − exp(−τ Ω) π from `start`, to rounding.
/// J (3×3) symmetric positive definite, τ ≥ 0 [s]. A solution exists for every τ: Ω ↦ exp(τ Ω) J Ω maps the sphere
/// ‖J Ω‖ = ‖π‖ onto itself with degree 1. It is unique while τ‖Ω‖ is small; beyond that the first one found from
/// `start`, J⁻¹π and then a fixed set of points of that sphere is taken. Throws std::runtime_error where none of these
/// starts converges. Cost: 3 to 5 iterations of one 3×3 solve each at 100 steps a turn.
[[nodiscard]] Eigen::Vector3d solve_momentum(const Eigen::Matrix3d& J, const Eigen::Vector3d& momentum, double tau,
                                             const Eigen::Vector3d& start);

}  // namespace locdyn
