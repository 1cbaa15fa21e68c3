#pragma once
// Sparse rank-revealing QR, A E = Q R, by SPQR, or by Eigen where the project is built without its GPL parts. Q is held
// as its Householder vectors. A column whose remainder falls to the tolerance while it is eliminated depends on those
// before it (Heath's rule): no column is exchanged for the sake of rank, so that the fill stays what the ordering says.
//
// Source: Davis, ACM TOMS 38 (2011) 8 (SPQR); Heath, SIAM J. Sci. Stat. Comput. 3 (1982) 223–237.

#include <memory>
#include <vector>

#include <locdyn/solver/saddle/sparse_matrix.hpp>

namespace locdyn::detail {

class SparseQr {
 public:
  SparseQr();
  ~SparseQr();
  SparseQr(SparseQr&&) noexcept;
  SparseQr& operator=(SparseQr&&) noexcept;

  /// Factors A (n×m, compressed). Columns whose remainder is ≤ `tolerance` in the 2-norm count as dependent. The
  /// analysis is kept while the pattern stays. Throws std::runtime_error where memory runs out.
  void factorise(const SparseMatrix& A, double tolerance);

  [[nodiscard]] Eigen::Index rank() const noexcept { return static_cast<Eigen::Index>(independent_.size()); }
  /// Columns of A that are the columns of the triangle R₁₁ (r×r), in its order; and the others, ascending.
  [[nodiscard]] const std::vector<int>& independent() const noexcept { return independent_; }
  [[nodiscard]] const std::vector<int>& dependent() const noexcept { return dependent_; }

  /// Q x and Qᵀ x, x (n×k); the first r columns of Q span the range of A, the others the null space of Aᵀ.
  [[nodiscard]] Eigen::MatrixXd apply(const Eigen::Ref<const Eigen::MatrixXd>& x) const;
  [[nodiscard]] Eigen::MatrixXd apply_transpose(const Eigen::Ref<const Eigen::MatrixXd>& x) const;
  /// x (m×k) with R₁₁ x[independent] = b, b (r×k), and 0 for the dependent columns.
  [[nodiscard]] Eigen::MatrixXd solve_upper(const Eigen::Ref<const Eigen::MatrixXd>& b) const;
  /// y (r×k) with R₁₁ᵀ y = b[independent], b (m×k).
  [[nodiscard]] Eigen::MatrixXd solve_upper_transpose(const Eigen::Ref<const Eigen::MatrixXd>& b) const;

  /// Symbolic analyses so far.
  [[nodiscard]] long analyses() const noexcept { return analyses_; }

 private:
  struct Handle;
  void find_columns();
  [[nodiscard]] bool empty() const noexcept { return numbers_ == 0; }

  std::unique_ptr<Handle> handle_;
  SparsityPattern pattern_;
  std::vector<int> independent_, dependent_;
  Eigen::Index rows_ = 0, columns_ = 0, numbers_ = 0;
  long analyses_ = 0;
};

}  // namespace locdyn::detail
