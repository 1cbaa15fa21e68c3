#include <locdyn/solver/newton/umfpack_factor.hpp>

#include <algorithm>

#include <locdyn/solver/single_threaded_blas.hpp>

namespace locdyn {

// UMFPACK reads columns, so it is given Aᵀ and solves with the transpose of that.

UmfpackFactor::UmfpackFactor() {
  umfpack_di_defaults(control_);
  control_[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;  // the pattern is W's, and most pivots lie on the diagonal
}

UmfpackFactor::~UmfpackFactor() {
  if (numeric_ != nullptr) umfpack_di_free_numeric(&numeric_);
  if (symbolic_ != nullptr) umfpack_di_free_symbolic(&symbolic_);
}

bool UmfpackFactor::analyse(const SparseRows& A) {
  const SingleThreadedBlas hold;
  if (symbolic_ != nullptr) umfpack_di_free_symbolic(&symbolic_);
  double info[UMFPACK_INFO];
  return umfpack_di_symbolic(A.size(), A.size(), A.start.data(), A.column.data(), nullptr, &symbolic_, control_,
                             info) == UMFPACK_OK;
}

bool UmfpackFactor::factorise(const SparseRows& A) {
  const SingleThreadedBlas hold;
  if (numeric_ != nullptr) umfpack_di_free_numeric(&numeric_);
  double info[UMFPACK_INFO];
  const int status =
      umfpack_di_numeric(A.start.data(), A.column.data(), A.value.data(), symbolic_, &numeric_, control_, info);
  if (numeric_ == nullptr) return false;
  flops_ = std::max(0.0, info[UMFPACK_FLOPS]);
  return status == UMFPACK_OK || status == UMFPACK_WARNING_singular_matrix;
}

bool UmfpackFactor::solve(const SparseRows& A, std::span<const double> b, std::span<double> x) const {
  const SingleThreadedBlas hold;
  double info[UMFPACK_INFO];
  const int status = umfpack_di_solve(UMFPACK_At, A.start.data(), A.column.data(), A.value.data(), x.data(), b.data(),
                                      numeric_, control_, info);
  return status >= UMFPACK_OK;
}

}  // namespace locdyn
