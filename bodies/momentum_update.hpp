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

namespace locdyn::detail {

/// Ω⁺ (3) [rad/s] for the inertia tensor J (3×3) symmetric positive definite, Ω (3) and the angular impulse h T (3)
/// [N m s], all in the body frame; before = b h ≥ 0, after = a h ≥ 0 [s]. Where Ω changes by little, the change alone is
/// found, in double; else a damped Newton in J Ω⁺ − exp(−a h Ω⁺) π with the analytic slope, then one correction in
/// extended precision. Momentum is kept to the rounding of Ω⁺ itself by both.
///
/// A solution exists for every step: Ω⁺ ↦ exp(a h Ω⁺) J Ω⁺ maps the sphere ‖J Ω⁺‖ = ‖π‖ to itself with degree 1. It is
/// unique up to about a radian a step; beyond, the first one found from Ω, then from J⁻¹π, then from 200 points of the
/// sphere is taken. Throws std::runtime_error where none of these starts converges, first seen at 20 rad a step.
/// Where all axes of J are alike it is Ω + J⁻¹ h T, without iteration. Cost: about 1 µs at 100 steps a turn.
[[nodiscard]] Eigen::Vector3d momentum_keeping_velocity(const Eigen::Matrix3d& J, const Eigen::Vector3d& omega,
                                                        const Eigen::Vector3d& impulse, double before, double after);

}  // namespace locdyn::detail
