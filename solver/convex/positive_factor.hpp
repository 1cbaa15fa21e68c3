#pragma once
// Sparse Cholesky of a symmetric positive definite matrix whose numbers change and whose pattern does not: one symbolic
// analysis, supernodal where the fill pays for it (CHOLMOD), simplicial by Eigen where the project is built without its
// GPL parts.
//
// Source: Chen, Davis, Hager & Rajamanickam, ACM TOMS 35 (2008) 22 (CHOLMOD).

#include <memory>
#include <span>
#include <vector>

namespace locdyn::detail {

/// The lower triangle of a symmetric matrix by columns: `start` (n + 1), `row` (nnz) ascending in each column from the
/// diagonal on, `value` (nnz).
struct LowerTriangle {
  std::vector<int> start, row;
  std::vector<double> value;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(start.size()) - 1; }
};

class PositiveFactor {
 public:
  PositiveFactor();
  ~PositiveFactor();
  PositiveFactor(const PositiveFactor&) = delete;
  PositiveFactor& operator=(const PositiveFactor&) = delete;

  /// Finds an order that keeps fill low, and the pattern of the factor. Throws std::runtime_error where memory runs
  /// out.
  void analyse(LowerTriangle& A);

  /// Factors A, of the pattern analysed. False where it is found not to be positive
  /// definite: for sure where the factor is supernodal, in small ones only by a pivot of 0.
  [[nodiscard]] bool factorise(LowerTriangle& A);

  /// b (n) ← A⁻¹ b. The last `factorise` returned true. Cost: 4 nnz(L) operations.
  void solve(std::span<double> b);

  /// Floating point operations of one factorisation, known from `analyse` on.
  [[nodiscard]] double flops() const noexcept;

  /// nnz(L), known from `analyse` on.
  [[nodiscard]] double entries() const noexcept;

  /// About how long one takes [s]: as the last did, before the first as a small dense one does on this machine. Nothing
  /// can interrupt it, so that who has less time left does not begin.
  [[nodiscard]] double expected_seconds() const;

 private:
  struct Handle;
  [[nodiscard]] bool factorise_untimed(LowerTriangle& A);

  std::unique_ptr<Handle> handle_;
  double seconds_ = 0;  // of the last factorisation; 0 before the first
};

}  // namespace locdyn::detail
