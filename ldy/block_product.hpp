#pragma once
// The blocks of W in one row, W_αβ = Σ_k H_αk Y_βk over the groups of velocities that both rows act on: the kernel of
// assembly.

#include <locdyn/ldy/delassus_factor.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// W_αα (3×3, column by column) of the row at place `at` of the graph's arena, from H and Y = h A⁻¹ Hᵀ. Sums run over
/// the groups of the row in order. Cost of a block: one comparison of ids for each pair of couplings, 9 n products for
/// each shared group. Picks AVX2 at run time; both versions round alike and give the same bits.
void fill_diagonal(const DelassusFactor& factor, Index at, Eigen::Matrix3d& W);

/// The same of the blocks W_αβ that are linked from `first` in `blocks`.
void fill_off_diagonal(const DelassusFactor& factor, Index at, OffDiagonalBlock* blocks, Index first);

}  // namespace locdyn::detail
