#pragma once
// A sparse LU by UMFPACK: multifrontal, dense products, at its best where much fills in. Part of SuiteSparse under the
// GPL.
//
// Source: Davis, ACM TOMS 30 (2004), algorithm 832.

#include <umfpack.h>

#include <span>
#include <vector>

#include <locdyn/solver/newton/sparse_rows.hpp>

namespace locdyn::detail {

class UmfpackFactor {
 public:
  UmfpackFactor();
  ~UmfpackFactor();
  UmfpackFactor(const UmfpackFactor&) = delete;
  UmfpackFactor& operator=(const UmfpackFactor&) = delete;

  /// Orders the pattern. False where memory ran out.
  [[nodiscard]] bool analyse(const SparseRows& A);
  /// A has the pattern analysed. False where no factor was made; one of an A singular to working precision is kept.
  [[nodiscard]] bool factorise(const SparseRows& A);
  /// x = A⁻¹ b, unrefined.
  [[nodiscard]] bool solve(std::span<const double> b, std::span<double> x);
  /// The sign of det A, of the last factorisation; 1 where A is singular.
  [[nodiscard]] int determinant_sign() const;
  /// Floating point operations of the last factorisation.
  [[nodiscard]] double flops() const noexcept { return flops_; }

 private:
  void* symbolic_ = nullptr;
  void* numeric_ = nullptr;
  double control_[UMFPACK_CONTROL];
  std::vector<double> work_;
  std::vector<int> index_;
  double flops_ = 0;
};

}  // namespace locdyn::detail
