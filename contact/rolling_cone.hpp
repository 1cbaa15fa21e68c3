#pragma once
// The cone of contact with rolling and torsional friction: six rows, the force (t1, t2, n) and the moment (t1, t2, n),
//
//   K = {‖R_t‖ ≤ μ R_n, ‖M_t‖ ≤ μ_r R_n, |M_n| ≤ μ_τ R_n},   K* = {U_n ≥ μ ‖U_t‖ + μ_r ‖ω_t‖ + μ_τ |ω_n|},
//
// three discs that share one radius. Moments and spins in one length ℓ, so that every coefficient is a pure number.
//
// Source: Acary & Bourrier, European Journal of Mechanics A/Solids 85 (2021) 104046.

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace locdyn {

/// The three coefficients ≥ 0: sliding μ, rolling μ_r/ℓ, torsional μ_τ/ℓ.
struct RollingCone {
  double sliding = 0, rolling = 0, torsional = 0;  ///< μ, μ_r/ℓ and μ_τ/ℓ ≥ 0, over the length that divides the moments

  /// The three, as the cone's discs have them.
  [[nodiscard]] std::array<double, 3> radii() const noexcept { return {sliding, rolling, torsional}; }
};

/// ‖z_t‖, ‖z_mt‖ and |z_mn| of z = (force, moment).
[[nodiscard]] inline std::array<double, 3> disc_norms(const Eigen::Vector3d& force,
                                                      const Eigen::Vector3d& moment) noexcept {
  return {force.head<2>().norm(), moment.head<2>().norm(), std::abs(moment[2])};
}

/// The R_n of P_K(z): the minimiser over λ ≥ 0 of (λ − z_n)² + Σ (‖z_i‖ − μ_i λ)₊². Its derivative is concave and
/// piecewise linear, so Newton's steps from λ = 0 climb to the root, one for each disc that they leave behind.
[[nodiscard]] inline double projected_normal(double normal, const std::array<double, 3>& norms,
                                             const std::array<double, 3>& radii) noexcept {
  double lambda = 0;
  for (int step = 0; step < 4; ++step) {
    double sum = normal, slope = 1;
    for (int i = 0; i < 3; ++i) {
      if (norms[i] <= radii[i] * lambda) continue;
      sum += radii[i] * norms[i];
      slope += radii[i] * radii[i];
    }
    const double next = sum / slope;
    if (!(next > lambda)) return lambda;
    lambda = next;
  }
  return lambda;
}

/// z ← P_K(z), the nearest point in the Euclidean norm, closed form. z: two vectors of 3, force and moment.
inline void project_on_rolling_cone(std::span<Eigen::Vector3d> z, const RollingCone& cone) noexcept {
  const auto norms = disc_norms(z[0], z[1]);
  const auto radii = cone.radii();
  const double normal = projected_normal(z[0][2], norms, radii);
  std::array<double, 3> share;
  for (int i = 0; i < 3; ++i) share[i] = norms[i] > radii[i] * normal ? radii[i] * normal / norms[i] : 1.0;
  z[0] = {share[0] * z[0][0], share[0] * z[0][1], normal};
  z[1] = {share[1] * z[1][0], share[1] * z[1][1], share[2] * z[1][2]};
}

/// U_n ← U_n + μ ‖U_t‖ + μ_r ‖ω_t‖ + μ_τ |ω_n|: maximal dissipation in each disc as a complementarity over K.
[[nodiscard]] inline double rolling_shift(const Eigen::Vector3d& U, const Eigen::Vector3d& spin,
                                          const RollingCone& cone) noexcept {
  const auto norms = disc_norms(U, spin);
  return cone.sliding * norms[0] + cone.rolling * norms[1] + cone.torsional * norms[2];
}

/// How far (R, M) lies outside K [N]: the largest of 0, −R_n and ‖z_i‖ − μ_i R_n.
[[nodiscard]] inline double rolling_violation(const Eigen::Vector3d& R, const Eigen::Vector3d& moment,
                                              const RollingCone& cone) noexcept {
  const auto norms = disc_norms(R, moment);
  const auto radii = cone.radii();
  double violation = -R[2];
  for (int i = 0; i < 3; ++i) violation = std::max(violation, norms[i] - radii[i] * R[2]);
  return violation > 0 ? violation : 0;
}

}  // namespace locdyn
