#pragma once
// Sparse simplicial LDLᵀ by CHOLMOD, or by Eigen where the project is built without its GPL parts. No pivoting: for
// matrices that are positive definite or quasi-definite, of which every symmetric permutation has such a factor.
//
// Source: Vanderbei, SIAM J. Optim. 5 (1995) 100–113 (quasi-definite); Chen, Davis, Hager & Rajamanickam, ACM TOMS 35
// (2008) 22 (CHOLMOD).

#include <functional>
#include <memory>
#include <vector>

#include <locdyn/solver/saddle/sparse_matrix.hpp>

namespace locdyn::detail {

/// An elimination order of a symmetric matrix, of which the lower triangle is there: place by place, its row.
using EliminationOrder = std::function<std::vector<int>(const SparseMatrix&)>;

/// The approximate minimum degree order (Amestoy, Davis & Duff, ACM TOMS 30 (2004) 381–388).
[[nodiscard]] std::vector<int> minimum_degree(const SparseMatrix& A);

class SymmetricFactor {
 public:
  SymmetricFactor();
  ~SymmetricFactor();
  SymmetricFactor(SymmetricFactor&&) noexcept;
  SymmetricFactor& operator=(SymmetricFactor&&) noexcept;

  /// Factors A (n×n, compressed; its lower triangle alone is there) in an order that is asked for when the pattern
  /// changes. False where a pivot is zero or not finite.
  [[nodiscard]] bool factorise(const SparseMatrix& A, const EliminationOrder& order = minimum_degree);

  /// A⁻¹ b, b (n×k). The last `factorise` returned true. Cost: 4 nnz(L) k operations.
  [[nodiscard]] Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& b) const;

  /// Symbolic analyses so far.
  [[nodiscard]] long analyses() const noexcept { return analyses_; }

 private:
  struct Handle;
  void lay_out(const SparseMatrix& A, const std::vector<int>& order);

  std::unique_ptr<Handle> handle_;
  SparsityPattern pattern_;
  SparseMatrix permuted_;   // its lower triangle
  std::vector<int> to_;     // place of each number of A in it
  std::vector<int> place_;  // of each row of A in the order
  Eigen::Index size_ = 0;
  long analyses_ = 0;
};

}  // namespace locdyn::detail
