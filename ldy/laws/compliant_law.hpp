#pragma once
// Unilateral contact that gives way, with Coulomb friction: the hard contact's law with U + C R in place of U,
//
//   K ∋ R ⟂ Û ∈ K*,   Û = U' + μ ‖U'_t‖ n,   U' = U + σ + C R,   K = {‖R_t‖ ≤ μ R_n}
//
// For one contact it is the hard law of W_αα + C, and C → 0 gives the hard law. Kelvin and Voigt's contact, a spring k
// and a damper c side by side that push and never pull, is a C and a σ along n (`kelvin_voigt`).
//
// Source: Lacoursière, Ghosts and machines (2007) ch. 4 (compliance and damping as regularised constraints); Castro et
// al., IEEE T-RO 39 (2023) (compliant contact with friction as a cone problem).

#include <Eigen/Core>
#include <span>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/ldy/laws/friction.hpp>
#include <locdyn/ldy/laws/row_mask.hpp>

namespace locdyn {

/// One block, rows (t1, t2, n); in 2D t2 is unused.
struct CompliantLaw {
  static constexpr const char* kName = "a compliant contact";
  static constexpr bool kContact = true;

  double friction = 0;                              ///< 0 ≤ μ ≤ 1e6, dimensionless
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();  ///< σ (t1, t2, n) [m/s]
  Eigen::Vector3d give = Eigen::Vector3d::Zero();   ///< C ≥ 0 along t1, t2, n [m/(N s)]
  bool planar = false;                              ///< 2D: the row t2 holds R = 0 and zero W

  [[nodiscard]] int blocks() const noexcept { return 1; }
  [[nodiscard]] RowMask rows(int) const noexcept { return planar ? kRowsPlanar : kRowsAll; }
  [[nodiscard]] Eigen::Vector3d offset(int) const noexcept { return shift; }
  [[nodiscard]] Eigen::Vector3d compliance(int) const noexcept { return give; }
  [[nodiscard]] Friction discs() const noexcept { return {.sliding = {friction, friction}}; }

  void dual_velocity(std::span<const Eigen::Vector3d> U, std::span<const Eigen::Vector3d> R,
                     std::span<Eigen::Vector3d> U_hat) const noexcept {
    U_hat[0] = de_saxce_shift(U[0] + shift + give.cwiseProduct(R[0]), friction);
  }
  /// z ← P_K(z).
  void project(std::span<Eigen::Vector3d> z) const noexcept { z[0] = project_on_cone(z[0], friction); }
  [[nodiscard]] double violation(std::span<const Eigen::Vector3d> R) const noexcept {
    return cone_violation(R[0], friction);
  }

  /// Throws std::invalid_argument where μ or a C is out of range, a number is not finite or one along t2 is not 0 in
  /// 2D.
  void validate() const;
};

/// A spring and a damper side by side.
struct KelvinVoigt {
  double stiffness;  ///< k > 0 [N/m]
  double damping;    ///< c ≥ 0 [N s/m]
  double rest = 0;   ///< depth at which the spring begins to push [m], of one that is not straight (hertz_spring.hpp)
};

/// C and σ of a step along one direction.
struct StepGive {
  double compliance;  ///< C [m/(N s)]
  double shift;       ///< σ [m/s]
};

/// C and σ along n of a contact that presses with R_n = −k (g + rest) − c ġ, for a step of h [s] from the gap
/// g = `gap` − h/2 V_n at its start, `gap` [m] and V_n [m/s] in the middle of the step and before it, where `response`
/// [1/kg] is the acceleration of the gap by a unit force. With ω² = k·response
///
///   g in the mean of the step, g + h/4 (V + U):   of second order; where c = 0 the energy stays;
///   at its end, g + h/2 (V + U), where it is about to touch:   no energy comes in by when the step began; the damper
///   acts for the share of the step in which the gap is closed;
///   g + h U in place of both as ω h grows beyond 1:   a contact too stiff for the step rests, it does not ring.
[[nodiscard]] StepGive kelvin_voigt(const KelvinVoigt& contact, double h, double gap, double V_n, double response);

/// C and σ along t of a contact that sticks by a spring and a damper, R_t = −k ξ − c ξ̇, which push and pull: as above
/// for a stretch ξ of `stretch` [m] in the middle of the step, which grew by `stretching` [m/s] before. What remains of
/// U_t + σ + C R_t is the velocity at which it slides.
[[nodiscard]] StepGive held_kelvin_voigt(const KelvinVoigt& contact, double h, double stretch, double stretching,
                                         double response);

}  // namespace locdyn
