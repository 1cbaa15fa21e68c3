#pragma once
// The one-constraint solve of a bilateral law: (W + C) R = −b over the rows in use of one or two blocks, with the
// pseudo-inverse made once, so that a singular W gives the R of least norm among those of least residual.

#include <Eigen/Core>
#include <array>
#include <locdyn/ldy/laws/bilateral_law.hpp>
#include <span>

namespace locdyn::detail {

/// A bilateral constraint's block prepared for solves with many b. Threads may share one.
class BilateralBlock {
 public:
  BilateralBlock() = default;

  /// W (3k×3k for a law of k blocks) [velocity/force], rows (t1, t2, n) of each block; rows that the law does not use
  /// are not read. Pivots below 1e-13 of the largest count as zero. Throws std::invalid_argument where the size is
  /// wrong. Cost: one orthogonal decomposition of 3k rows.
  BilateralBlock(const BilateralLaw& law, const Eigen::Ref<const Eigen::MatrixXd>& W);

  /// R = −(W + C)⁺ b, refined once. b (k vectors of 3, σ included; rows that the law does not use are not read), R (k
  /// vectors of 3): 0 in rows that are not used.
  /// Cost: 3 k² block products.
  void solve(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept;

  /// The rank found, at most the rows in use.
  [[nodiscard]] int rank() const noexcept { return rank_; }

 private:
  template <int size>
  void solve_fixed(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept;

  std::array<RowMask, BilateralLaw::kMaxBlocks> used_{};
  using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::DontAlign>;
  Matrix6 A_ = Matrix6::Zero();        // W + C over the rows in use, 0 elsewhere
  Matrix6 inverse_ = Matrix6::Zero();  // its pseudo-inverse
  int rank_ = 0;
};

}  // namespace locdyn::detail
