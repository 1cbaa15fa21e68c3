#pragma once
// Unilateral contact with friction that differs along t1 and t2 of its frame:
//
//   K ∋ R ⟂ Û ∈ K*,   Û = U' + √(μ_1² U'_1² + μ_2² U'_2²) n,   U' = U + σ,   K = {(R_1/μ_1)² + (R_2/μ_2)² ≤ R_n²}
//
// Maximal dissipation: a sliding contact has R_i = −μ_i² R_n U'_i / √(μ_1² U'_1² + μ_2² U'_2²), not opposite to U'_t.
// With R_i = μ_i R'_i, U'_i = U_i μ_i it is the law of the circle with μ = 1.
//
// Source: Michałowski & Mróz, Arch. Mech. 30 (1978) 259–276; De Saxcé & Feng, Math. Comput. Modelling 28 (1998).

#include <Eigen/Core>
#include <span>

#include <locdyn/contact/elliptic_cone.hpp>
#include <locdyn/ldy/laws/friction.hpp>
#include <locdyn/ldy/laws/row_mask.hpp>

namespace locdyn {

/// One block, rows (t1, t2, n). In 2D there is one tangent and `ContactLaw` says it all.
struct EllipticLaw {
  static constexpr const char* kName = "a contact with elliptic friction";
  static constexpr bool kContact = true;

  Eigen::Vector2d friction = Eigen::Vector2d::Zero();  ///< 0 ≤ μ_1, μ_2 ≤ 1e6 along t1 and t2, dimensionless
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();     ///< σ (t1, t2, n) [m/s], as of `ContactLaw`

  [[nodiscard]] int blocks() const noexcept { return 1; }
  [[nodiscard]] RowMask rows(int) const noexcept { return kRowsAll; }
  [[nodiscard]] Eigen::Vector3d offset(int) const noexcept { return shift; }
  [[nodiscard]] Friction discs() const noexcept { return {.sliding = friction}; }

  void dual_velocity(std::span<const Eigen::Vector3d> U, std::span<const Eigen::Vector3d>,
                     std::span<Eigen::Vector3d> U_hat) const noexcept {
    U_hat[0] = elliptic_shift(U[0] + shift, friction);
  }
  /// z ← P_K(z).
  void project(std::span<Eigen::Vector3d> z) const noexcept { z[0] = project_on_elliptic_cone(z[0], friction); }
  [[nodiscard]] double violation(std::span<const Eigen::Vector3d> R) const noexcept {
    return elliptic_violation(R[0], friction);
  }

  /// As of `ContactLaw`.
  [[nodiscard]] EllipticLaw displacement(std::span<const Eigen::Vector3d>, double normal) const noexcept {
    return {.shift = {0, 0, normal}};
  }

  /// Throws std::invalid_argument where a μ is out of range or a number is not finite.
  void validate() const;
};

}  // namespace locdyn
