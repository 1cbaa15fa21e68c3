#pragma once
// Points where Newton's derivative of a friction map is that of the map: zeros of its friction.

#include <locdyn/solver/newton/friction_map.hpp>

namespace locdyn::test {

/// Moves R_t by −ρ_t S² F_t, and U_t so that y = R_t − ρ_t U_t stays: then F_t = 0, in the same state, open, sticking
/// or sliding. Contacts of discs of one row stay as they are, for their derivative is the map's everywhere.
inline void move_to_zero_of_friction(const detail::NewtonRow& row, FrictionMap map, double augmentation,
                                     Eigen::Vector3d& U, Eigen::Vector3d& R) {
  if (row.planar || row.stretch.minCoeff() == 0) return;
  DiagonalBlock block{};
  block.U = U;
  block.R = R;
  bool pressed = false;
  const Eigen::Vector3d F = detail::row_map(row, map, augmentation, block, pressed, nullptr);
  const double rho = augmentation * row.tangent_scale;
  for (int k = 0; k < 2; ++k) {
    const double moved = rho * row.stretch[k] * row.stretch[k] * F[k];
    R[k] -= moved;
    U[k] += row.compliance[k] * moved - F[k];
  }
}

}  // namespace locdyn::test
