#pragma once
// Unilateral contact with sliding, rolling and torsional friction: two blocks, the force R and the moment M of the
// contact, with the relative velocity U and the relative spin ω,
//
//   K ∋ (R, M) ⟂ (Û, ω) ∈ K*,   Û = U' + (μ ‖U'_t‖ + μ_r ‖ω_t‖ + μ_τ |ω_n|) n,   U' = U + σ,
//   K = {‖R_t‖ ≤ μ R_n, ‖M_t‖ ≤ μ_r R_n, |M_n| ≤ μ_τ R_n}
//
// The second block holds M/ℓ [N] and ℓ ω [m/s], so that its rows are forces and velocities as those of the first;
// ℓ² = (tr W_ff/d_f) / (tr W_mm/d_m) gives both the same scale.
//
// Source: Acary & Bourrier, Coulomb friction with rolling resistance as a cone complementarity problem, European
// Journal of Mechanics A/Solids 85 (2021) 104046; the torsional disc is one more of the same kind.

#include <Eigen/Core>
#include <span>

#include <locdyn/contact/rolling_cone.hpp>
#include <locdyn/ldy/laws/friction.hpp>
#include <locdyn/ldy/laws/row_mask.hpp>

namespace locdyn {

inline constexpr RowMask kRowsRolling = 0b011;       ///< a moment block without the torsional row
inline constexpr RowMask kRowPlanarRolling = 0b010;  ///< in 2D: the moment about t2, out of the plane

struct RollingLaw {
  static constexpr const char* kName = "a contact with rolling friction";
  static constexpr bool kContact = true;

  double friction = 0;                              ///< 0 ≤ μ ≤ 1e6, dimensionless
  double rolling = 0;                               ///< μ_r ≥ 0 [m], at most 1e6 ℓ
  double torsional = 0;                             ///< μ_τ ≥ 0 [m], at most 1e6 ℓ
  double length = 1;                                ///< ℓ > 0 [m]
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();  ///< σ of the force block (t1, t2, n) [m/s], as of `ContactLaw`
  /// Rows of the moment block: all, `kRowsRolling`, or in 2D `kRowPlanarRolling`, where the force block has no t2.
  RowMask moment_rows = kRowsAll;

  /// In the plane?
  [[nodiscard]] bool planar() const noexcept { return moment_rows == kRowPlanarRolling; }
  /// K, its coefficients over ℓ.
  [[nodiscard]] RollingCone cone() const noexcept { return {friction, rolling / length, torsional / length}; }

  [[nodiscard]] int blocks() const noexcept { return 2; }
  [[nodiscard]] RowMask rows(int k) const noexcept { return k == 1 ? moment_rows : planar() ? kRowsPlanar : kRowsAll; }
  [[nodiscard]] Eigen::Vector3d offset(int k) const noexcept {
    return k == 0 ? shift : Eigen::Vector3d(Eigen::Vector3d::Zero());
  }

  [[nodiscard]] Friction discs() const noexcept {
    return {.sliding = {friction, friction}, .rolling = rolling, .torsional = torsional, .length = length};
  }

  void dual_velocity(std::span<const Eigen::Vector3d> U, std::span<const Eigen::Vector3d>,
                     std::span<Eigen::Vector3d> U_hat) const noexcept {
    U_hat[0] = U[0] + shift;
    U_hat[1] = U[1];
    U_hat[0][2] += rolling_shift(U_hat[0], U_hat[1], cone());
  }
  /// z ← P_K(z).
  void project(std::span<Eigen::Vector3d> z) const noexcept { project_on_rolling_cone(z, cone()); }
  [[nodiscard]] double violation(std::span<const Eigen::Vector3d> R) const noexcept {
    return rolling_violation(R[0], R[1], cone());
  }

  /// As of `ContactLaw`; moments are free of friction, too.
  [[nodiscard]] RollingLaw displacement(std::span<const Eigen::Vector3d>, double normal) const noexcept {
    return {.length = length, .shift = {0, 0, normal}, .moment_rows = moment_rows};
  }

  /// Throws std::invalid_argument where a coefficient is out of range, ℓ is not positive, a number is not finite, the
  /// moment rows are none of the three kinds or σ_t2 is not 0 in 2D.
  void validate() const;
};

}  // namespace locdyn
