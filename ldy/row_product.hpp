#pragma once
// The product of one row, Σ_β W_αβ R_β with the diagonal block included: what every sweep and residual is made of.
//
// A row's blocks are linked, but after `pack` they lie one behind the other. The kernels bet on it: they go on to the
// next place at once and check the link afterwards by a branch, so that no load waits for the link before it, and
// they fetch ahead both the stream of blocks and the rows just beyond each neighbour. A wrong bet costs time only.
// The order of the sum is that of the list, split in even and odd blocks, on any number of threads.

#include <atomic>
#include <span>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Writes Σ W_αβ R_β (3) over the blocks linked from `first` (kNone: zero) to `product`.
using RowProductKernel = void (*)(const DiagonalBlock* diagonal, const OffDiagonalBlock* off_diagonal, Index first,
                                  double* product);

struct RowProductVariant {
  const char* name;  ///< the instruction set
  RowProductKernel kernel;
};

/// The kernels that this processor runs, the portable one first, the one in use last. Equal to rounding.
[[nodiscard]] std::span<const RowProductVariant> row_product_variants() noexcept;

/// The kernel in use; the first call replaces itself by the best one for this processor.
extern std::atomic<RowProductKernel> row_product_kernel;

/// Σ_β≠α W_αβ R_β (3) over the off-diagonal blocks of a row. Cost: its list, streamed when packed.
[[nodiscard]] inline Eigen::Vector3d off_diagonal_product(const LocalDynamics& ldy, const DiagonalBlock& row) {
  const OffDiagonalBlock* blocks = ldy.off_diagonal_arena().data();  // may make them, and row.first
  Eigen::Vector3d product;
  row_product_kernel.load(std::memory_order_relaxed)(ldy.diagonal_arena().data(), blocks, row.first, product.data());
  return product;
}

/// Σ_β W_αβ R_β (3), the diagonal block included: U = B + this.
[[nodiscard]] inline Eigen::Vector3d row_product(const LocalDynamics& ldy, const DiagonalBlock& row) {
  return row.W * row.R + off_diagonal_product(ldy, row);
}

}  // namespace locdyn::detail
