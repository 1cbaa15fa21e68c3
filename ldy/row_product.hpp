#pragma once
// The product of one row, Σ_β W_αβ R_β with the diagonal block included: what every sweep and residual is made of.

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

/// Σ_β≠α W_αβ R_β (3) over the off-diagonal blocks of a row. Cost: its list, streamed when packed.
[[nodiscard]] inline Eigen::Vector3d off_diagonal_product(const LocalDynamics& ldy, const DiagonalBlock& row) {
  const DiagonalBlock* diagonal = ldy.diagonal_arena().data();
  Eigen::Vector3d product = Eigen::Vector3d::Zero();
  for (const OffDiagonalBlock& block : ldy.adjacent(row)) product.noalias() += block.W * diagonal[block.other].R;
  return product;
}

/// Σ_β W_αβ R_β (3), the diagonal block included: U = B + this.
[[nodiscard]] inline Eigen::Vector3d row_product(const LocalDynamics& ldy, const DiagonalBlock& row) {
  return row.W * row.R + off_diagonal_product(ldy, row);
}

}  // namespace locdyn
