#include <locdyn/solver/newton/umfpack_factor.hpp>

#include <algorithm>

#include <locdyn/solver/single_threaded_blas.hpp>

namespace locdyn::detail {

// UMFPACK reads columns, so it is given Aᵀ and solves with the transpose of that.

UmfpackFactor::UmfpackFactor() {
  umfpack_di_defaults(control_);
  control_[UMFPACK_IRSTEP] = 0;  // its refinement measures errors by row, and costs several solves
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

bool UmfpackFactor::solve(std::span<const double> b, std::span<double> x) {
  const SingleThreadedBlas hold;
  work_.resize(b.size());
  index_.resize(b.size());
  const int status = umfpack_di_wsolve(UMFPACK_At, nullptr, nullptr, nullptr, x.data(), b.data(), numeric_, control_,
                                       nullptr, index_.data(), work_.data());
  return status >= UMFPACK_OK;
}

int UmfpackFactor::determinant_sign() const {
  double mantissa = 1, exponent = 0, info[UMFPACK_INFO];
  umfpack_di_get_determinant(&mantissa, &exponent, numeric_, info);
  return mantissa < 0 ? -1 : 1;
}

}  // namespace locdyn::detail
