#pragma once
// Sparse unsymmetric direct solves by SuiteSparse: UMFPACK, or KLU where the project is built without its GPL parts.
// The symbolic analysis is kept as long as the pattern stays.

#include <memory>
#include <span>
#include <vector>

namespace locdyn {

/// A square sparse matrix by rows: `start` (n + 1), `column` and `value` (nnz), columns ascending in each row.
struct SparseRows {
  std::vector<int> start;
  std::vector<int> column;
  std::vector<double> value;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(start.size()) - 1; }
};

class SparseLu {
 public:
  SparseLu();
  ~SparseLu();
  SparseLu(const SparseLu&) = delete;
  SparseLu& operator=(const SparseLu&) = delete;

  /// Factors A; analyses it first where the pattern differs from the last one. False where no factor was made or memory
  /// ran out; a factor of an A singular to working precision is kept, and `solve` refuses what is not
  /// finite. BLAS is held to one thread.
  [[nodiscard]] bool factorise(const SparseRows& A);

  /// x (n) = A⁻¹ b (n), refined by UMFPACK against A. A is the matrix of the last `factorise`, which returned true.
  [[nodiscard]] bool solve(const SparseRows& A, std::span<const double> b, std::span<double> x) const;

  /// Floating point operations of all factorisations so far.
  [[nodiscard]] double flops() const noexcept { return flops_; }

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
  std::vector<int> start_, column_;  // the pattern analysed
  double flops_ = 0;
};

}  // namespace locdyn
