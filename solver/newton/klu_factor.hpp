#pragma once
// A sparse LU by KLU: left-looking, one column at a time, at its best where little fills in.
//
// Source: Davis & Palamadai Natarajan, ACM TOMS 37 (2010), algorithm 907.

#include <klu.h>

#include <span>
#include <vector>

#include <locdyn/solver/newton/sparse_rows.hpp>

namespace locdyn::detail {

class KluFactor {
 public:
  KluFactor() { klu_defaults(&common_); }
  ~KluFactor();
  KluFactor(const KluFactor&) = delete;
  KluFactor& operator=(const KluFactor&) = delete;

  /// Orders the pattern. False where A is singular by its pattern or memory ran out.
  [[nodiscard]] bool analyse(const SparseRows& A);
  /// Floating point operations that the ordering found expects of a factorisation.
  [[nodiscard]] double expected_flops() const noexcept { return symbolic_->est_flops; }
  /// A has the pattern analysed. False where A is singular or memory ran out.
  [[nodiscard]] bool factorise(const SparseRows& A);
  /// x = A⁻¹ b, unrefined.
  [[nodiscard]] bool solve(std::span<const double> b, std::span<double> x);
  /// The sign of det A, of the last factorisation.
  [[nodiscard]] int determinant_sign() const;
  /// Floating point operations of the last factorisation.
  [[nodiscard]] double flops() const noexcept { return common_.flops; }

 private:
  klu_common common_;
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace locdyn::detail
