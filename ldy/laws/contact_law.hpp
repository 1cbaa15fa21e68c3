#pragma once
// Unilateral contact with Coulomb friction, written as a complementarity over the second-order cone
//
//   K ∋ R ⟂ Û ∈ K*,   Û = U' + μ ‖U'_t‖ n,   U' = U + σ,   K = {‖R_t‖ ≤ μ R_n}
//
// A contact that sticks has U_t = −σ_t, one that slides has R_t = −μ R_n U'_t/‖U'_t‖.
//
// Source: De Saxcé & Feng, Math. Comput. Modelling 28 (1998) 225–245; Acary, Brémond & Huber (2018) §2.

#include <Eigen/Core>
#include <cmath>
#include <span>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/ldy/laws/friction.hpp>
#include <locdyn/ldy/laws/row_mask.hpp>

namespace locdyn {

/// One block, rows (t1, t2, n); in 2D t2 is unused.
struct ContactLaw {
  static constexpr const char* kName = "a contact";
  static constexpr bool kContact = true;
  static constexpr double kLargestFriction = 1e6;  ///< beyond, μ ‖U_t‖ drowns U_n in rounding

  double friction = 0;  ///< 0 ≤ μ ≤ kLargestFriction, dimensionless
  /// σ (t1, t2, n) [m/s]: σ_n is restitution e·min(V_n, 0), or gap/h where the gap is open; σ_t is what a
  /// sticking contact of turning bodies moves by (constraints/contact.hpp). In 2D σ_t2 = 0.
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();
  bool planar = false;  ///< 2D: the row t2 holds R = 0 and zero W

  [[nodiscard]] int blocks() const noexcept { return 1; }
  [[nodiscard]] RowMask rows(int) const noexcept { return planar ? kRowsPlanar : kRowsAll; }
  /// What is added to B before the law is posed: σ.
  [[nodiscard]] Eigen::Vector3d offset(int) const noexcept { return shift; }
  [[nodiscard]] Friction discs() const noexcept { return {.sliding = {friction, friction}}; }

  /// Û from U (and R, unused here).
  void dual_velocity(std::span<const Eigen::Vector3d> U, std::span<const Eigen::Vector3d>,
                     std::span<Eigen::Vector3d> U_hat) const noexcept {
    U_hat[0] = de_saxce_shift(U[0] + shift, friction);
  }
  /// z ← P_K(z).
  void project(std::span<Eigen::Vector3d> z) const noexcept { z[0] = project_on_cone(z[0], friction); }
  /// How far R (one block) lies outside K [N].
  [[nodiscard]] double violation(std::span<const Eigen::Vector3d> R) const noexcept {
    return cone_violation(R[0], friction);
  }

  /// The law of displacements [m] that take back what the rows have lost: no friction, U_n + `normal` ≥ 0.
  [[nodiscard]] ContactLaw displacement(std::span<const Eigen::Vector3d>, double normal) const noexcept {
    return {.friction = 0, .shift = {0, 0, normal}, .planar = planar};
  }

  /// Throws std::invalid_argument where μ is out of range, a number is not finite or σ_t2 is not 0 in 2D.
  void validate() const {
    const bool valid = friction >= 0 && friction <= kLargestFriction && std::isfinite(shift.sum()) && !planar;
    if (!valid) check_numbers();  // not so with nearly all laws of a step
  }
  /// `validate`, one number after the other.
  void check_numbers() const;
};

}  // namespace locdyn
