#pragma once
// Friction on one disc: R_t = P_D(r)(y), y = R_t − ρ U_t, as a map whose zeros are its solutions, with its generalised
// derivative. What every law of contact is made of: sliding and rolling friction have discs of two rows, torsion of
// one.
//
// Source: Alart & Curnier, CMAME 92 (1991) 353–375.

#include <Eigen/Core>

namespace locdyn::detail {

struct DiscFriction {
  Eigen::Vector2d F;          ///< (R_t − P_D(r)(y)) / ρ, a velocity
  Eigen::Matrix2d E, C;       ///< ∂F/∂U_t, ∂F/∂R_t
  Eigen::Vector2d by_radius;  ///< ∂F/∂r
};

/// F and its derivative for U_t, R_t (2), ρ > 0 [force/velocity] and the radius r ≥ 0. A disc of one row has 0 in the
/// other entry of U_t and R_t.
[[nodiscard]] inline DiscFriction disc_friction(const Eigen::Vector2d& U, const Eigen::Vector2d& R, double rho,
                                                double radius) noexcept {
  Eigen::Vector2d y = R - rho * U;
  const double length = y.norm();
  DiscFriction disc;
  if (length <= radius) {
    disc.F = U;
    disc.E.setIdentity();
    disc.C.setZero();
    disc.by_radius.setZero();
    return disc;
  }
  y /= length;
  disc.F = (R - radius * y) / rho;
  disc.E = (Eigen::Matrix2d::Identity() - y * y.transpose()) * (radius / length);
  disc.C = (Eigen::Matrix2d::Identity() - disc.E) / rho;
  disc.by_radius = -y / rho;
  return disc;
}

/// x (2) with x = P_D(r)(x − (W x + c)), W (2×2) positive definite: −W⁻¹ c if that lies in the disc, else
/// −(W + λ I)⁻¹ c on its edge, λ > 0; always finite, and never outside.
///
/// Source: Moré & Sorensen, SIAM J. Sci. Stat. Comput. 4 (1983) 553–572.
[[nodiscard]] Eigen::Vector2d solve_in_disc(const Eigen::Matrix2d& W, const Eigen::Vector2d& c, double radius) noexcept;

}  // namespace locdyn::detail
