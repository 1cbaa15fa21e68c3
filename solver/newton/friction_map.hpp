#pragma once
// The maps whose zeros are the solutions of a row's law, and their generalised derivatives. For a contact, with
// augmented x = R_n − ρ_n U_n and y = R_t − ρ_t U_t,
//
//   F_n = R_n − max(0, x),   F_t = R_t − P_D(r)(y),   D(r) the disc of radius r = μ max(0, s),
//   s = x (Alart–Curnier) or s = R_n (Jean–Moreau),
//
// each divided by its ρ, so that F is a velocity. dF = E dU + C dR.
//
// Source: Alart & Curnier, CMAME 92 (1991) 353–375; Jean & Moreau (1987); Christensen et al., IJSS 35 (1998).

#include <Eigen/Core>

#include <locdyn/ldy/law.hpp>

namespace locdyn {

enum class FrictionMap { alart_curnier, jean_moreau };

/// One row as Newton sees it.
struct NewtonRow {
  bool contact = true;
  bool planar = false;
  RowMask rows = kRowsAll;
  double friction = 0;
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();       ///< σ, added to U
  Eigen::Vector3d compliance = Eigen::Vector3d::Zero();  ///< C of bilateral rows
  double normal_scale = 1;   ///< 1/W_nn [force/velocity], times the augmentation the ρ_n of the map
  double tangent_scale = 1;  ///< 2/tr W_tt
};

/// What the row's law and W_αα (3×3) make of it. `block` counts the law's blocks.
[[nodiscard]] NewtonRow newton_row(const Law& law, int block, const Eigen::Matrix3d& W);

struct MapDerivative {
  Eigen::Matrix3d E;  ///< ∂F/∂U
  Eigen::Matrix3d C;  ///< ∂F/∂R
};

/// F (3) [velocity] for U (3, without σ) and R (3); ρ = augmentation times the row's scales. Where `derivative` is
/// given, it receives E and C. `pressed` tells whether x > 0: an open contact has E = 0 and F = R/ρ.
[[nodiscard]] Eigen::Vector3d friction_map(const NewtonRow& row, FrictionMap map, double augmentation,
                                           const Eigen::Vector3d& U, const Eigen::Vector3d& R, bool& pressed,
                                           MapDerivative* derivative);

}  // namespace locdyn
