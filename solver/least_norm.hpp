#pragma once
// x = A⁺ b, the least-norm x of least ‖A x − b‖, of a small dense A of any rank: by a QR with pivots, completed to an
// orthogonal decomposition. Eigen's, which takes long to compile: here it is compiled once for all who need it.
//
// Source: Golub & Van Loan, Matrix Computations (4th ed., 2013) §5.5.2.

#include <Eigen/Core>
#include <Eigen/QR>

namespace locdyn::detail {

class LeastNorm {
 public:
  LeastNorm() = default;
  /// A (m×n), factored. A pivot below `tolerance` of the largest one counts as 0.
  LeastNorm(const Eigen::Ref<const Eigen::MatrixXd>& A, double tolerance) { factorise(A, tolerance); }

  /// Cost: 4 m n min(m, n) operations.
  void factorise(const Eigen::Ref<const Eigen::MatrixXd>& A, double tolerance);

  [[nodiscard]] Eigen::Index rank() const { return factor_.rank(); }
  /// A⁺ b (n×k), b (m×k).
  [[nodiscard]] Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& b) const;
  /// A⁺ (n×m).
  [[nodiscard]] Eigen::MatrixXd pseudo_inverse() const;
  /// Q (m×m), orthogonal: its first `rank` columns span the range of A.
  [[nodiscard]] Eigen::MatrixXd orthogonal() const;

 private:
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor_;
};

}  // namespace locdyn::detail
