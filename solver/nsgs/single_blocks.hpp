#pragma once
// The off-diagonal blocks of W once more in single precision, for sweeps that wait for memory: half the bytes. What
// rounding takes from W is put back as a load, taken anew at every residual,
//
//   Σ_β≠α W_αβ R_β = Σ_β≠α W̃_αβ R_β + d_α,   d_α = Σ_β≠α (W_αβ − W̃_αβ) R̄_β,
//
// so that sweeps tend to the solution of W itself (an iterative refinement: Higham, Accuracy and Stability of Numerical
// Algorithms, 2002, ch. 12). Products and sums are taken in double precision.

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

class SingleBlocks {
 public:
  /// Copies the blocks of the graph as it is, row by row, and takes d at its R. Cost: two passes over them.
  explicit SingleBlocks(const LocalDynamics& ldy);

  /// Takes d at the R that the graph holds. Cost: two passes over the blocks.
  void refresh(const LocalDynamics& ldy);

  /// Σ_β≠α W̃_αβ R_β + d_α (3) for the row at a place of `diagonal`, the arena of that graph.
  [[nodiscard]] Eigen::Vector3d product(const DiagonalBlock* diagonal, Index place) const;

 private:
  struct Block {
    float W[9];  // by column
    Index other;
  };

  [[nodiscard]] Eigen::Vector3d rounded_product(const DiagonalBlock* diagonal, Index place) const;

  std::vector<Block> blocks_;
  std::vector<std::size_t> first_;       // by place, one more at the end
  std::vector<Eigen::Vector3d> defect_;  // d by place
};

}  // namespace locdyn::detail
