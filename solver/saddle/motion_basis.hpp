#pragma once
// Degrees of freedom as a basis of the motions that the rows leave, G Z = 0, ZᵀZ = I, held as the Householder vectors
// of a sparse QR of Gᵀ: memory as for the factor, no dense vector unless asked for.
//
// Source: Gill, Murray & Wright, Practical Optimization (1981) §5.1; Davis, ACM TOMS 38 (2011) 8.

#include <locdyn/solver/saddle/sparse_qr.hpp>

namespace locdyn::detail {

class MotionBasis {
 public:
  /// Of G (m×n) in the coordinates that it has: lengths and angles count alike. Rows are scaled to norm 1 first; those
  /// whose remainder is ≤ `rank_tolerance` are redundant. Throws std::invalid_argument for a number that is not finite
  /// or a tolerance outside (0, 1). Cost: a sparse QR.
  explicit MotionBasis(const SparseMatrix& G, double rank_tolerance = 1e-10);

  /// n, and the number of motions, n − rank.
  [[nodiscard]] Eigen::Index coordinates() const noexcept { return coordinates_; }
  [[nodiscard]] Eigen::Index freedoms() const noexcept { return coordinates_ - qr_.rank(); }

  /// Z y (n×k) of y (freedoms×k), and Zᵀ x of x (n×k). Throws std::invalid_argument for wrong sizes.
  [[nodiscard]] Eigen::MatrixXd apply(const Eigen::Ref<const Eigen::MatrixXd>& y) const;
  [[nodiscard]] Eigen::MatrixXd apply_transpose(const Eigen::Ref<const Eigen::MatrixXd>& x) const;
  /// Z, dense (n×freedoms). Cost: its size, times the fill of the factor.
  [[nodiscard]] Eigen::MatrixXd vectors() const;

  /// Rows of G that repeat others, ascending.
  [[nodiscard]] const std::vector<int>& redundant() const noexcept { return qr_.dependent(); }

 private:
  SparseQr qr_;
  Eigen::Index coordinates_;
};

}  // namespace locdyn::detail
