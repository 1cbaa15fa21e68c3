#pragma once
// Sparse unsymmetric direct solves by SuiteSparse: KLU where little fills in, UMFPACK where much does. The symbolic
// analysis is kept as long as the pattern stays.

#include <memory>
#include <span>
#include <vector>

#include <locdyn/solver/newton/sparse_rows.hpp>

namespace locdyn::detail {

class SparseLu {
 public:
  SparseLu();
  ~SparseLu();
  SparseLu(const SparseLu&) = delete;
  SparseLu& operator=(const SparseLu&) = delete;

  /// Factors A; analyses it first where the pattern differs from the last one. False where no factor was made or memory
  /// ran out; a factor of an A singular to working precision may be kept, and `solve` refuses what is not
  /// finite. BLAS is held to one thread.
  [[nodiscard]] bool factorise(const SparseRows& A);

  /// x (n) = A⁻¹ b (n), refined once against A, the matrix of the last `factorise`, which returned true.
  [[nodiscard]] bool solve(const SparseRows& A, std::span<const double> b, std::span<double> x) const;

  /// The sign of det A, of the last `factorise`, which returned true.
  [[nodiscard]] int determinant_sign() const;

  /// Floating point operations of all factorisations so far.
  [[nodiscard]] double flops() const noexcept { return flops_; }

 private:
  struct Factors;
  [[nodiscard]] bool analyse(const SparseRows& A);

  std::unique_ptr<Factors> factors_;
  std::vector<int> start_, column_;  // the pattern analysed; empty where that failed
  double flops_ = 0;
};

/// What a step with a matrix of this pattern of square blocks costs with the better of the two, in operations at the
/// speed of a Gauss–Seidel sweep: `start` (n + 1) and `neighbours` are the pattern by rows, symmetric and ascending,
/// `size` the most unknowns of a block, `unknowns` those of all. Measured on walls and piles of 20 to 2000 bodies.
/// Cost: a minimum degree ordering of the blocks.
[[nodiscard]] double block_lu_cost(std::span<const int> start, std::span<const int> neighbours, double size,
                                   double unknowns);
/// The same by the products of two blocks in the factorisation, counted already.
[[nodiscard]] double block_lu_cost(double block_products, double size, double unknowns);

}  // namespace locdyn::detail
