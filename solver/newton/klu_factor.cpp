#include <locdyn/solver/newton/klu_factor.hpp>

#include <algorithm>

namespace locdyn {

// KLU reads columns and may not write: it is given Aᵀ and solves with the transpose of that.

KluFactor::~KluFactor() {
  klu_free_numeric(&numeric_, &common_);
  klu_free_symbolic(&symbolic_, &common_);
}

bool KluFactor::analyse(const SparseRows& A) {
  klu_free_numeric(&numeric_, &common_);
  klu_free_symbolic(&symbolic_, &common_);
  symbolic_ = klu_analyze(A.size(), const_cast<int*>(A.start.data()), const_cast<int*>(A.column.data()), &common_);
  return symbolic_ != nullptr;
}

bool KluFactor::factorise(const SparseRows& A) {
  klu_free_numeric(&numeric_, &common_);
  auto* start = const_cast<int*>(A.start.data());
  auto* column = const_cast<int*>(A.column.data());
  numeric_ = klu_factor(start, column, const_cast<double*>(A.value.data()), symbolic_, &common_);
  if (numeric_ == nullptr) return false;
  klu_flops(symbolic_, numeric_, &common_);
  return common_.status == KLU_OK;
}

bool KluFactor::solve(const SparseRows& A, std::span<const double> b, std::span<double> x) {
  const int n = A.size();
  std::copy(b.begin(), b.end(), x.begin());
  if (klu_tsolve(symbolic_, numeric_, n, 1, x.data(), &common_) == 0) return false;
  left_.assign(b.begin(), b.end());
  for (int row = 0; row < n; ++row) {
    for (int at = A.start[row]; at < A.start[row + 1]; ++at) left_[row] -= A.value[at] * x[A.column[at]];
  }
  if (klu_tsolve(symbolic_, numeric_, n, 1, left_.data(), &common_) == 0) return false;
  for (int row = 0; row < n; ++row) x[row] += left_[row];
  return true;
}

}  // namespace locdyn
