#include <locdyn/solver/newton/klu_factor.hpp>

#include <algorithm>

namespace locdyn::detail {
namespace {

int permutation_sign(std::span<const int> order) {
  std::vector<bool> seen(order.size());
  int sign = 1;
  for (std::size_t first = 0; first < order.size(); ++first) {
    for (auto k = static_cast<std::size_t>(order[first]); !seen[k] && k != first;
         k = static_cast<std::size_t>(order[k])) {
      seen[k] = true;
      sign = -sign;
    }
    seen[first] = true;
  }
  return sign;
}

}  // namespace

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

bool KluFactor::solve(std::span<const double> b, std::span<double> x) {
  std::copy(b.begin(), b.end(), x.begin());
  return klu_tsolve(symbolic_, numeric_, symbolic_->n, 1, x.data(), &common_) != 0;
}

// P R⁻¹ Aᵀ Q is block triangular with the factors' diagonal, R > 0.
int KluFactor::determinant_sign() const {
  const int n = symbolic_->n;
  int sign = permutation_sign({numeric_->Pnum, static_cast<std::size_t>(n)}) *
             permutation_sign({symbolic_->Q, static_cast<std::size_t>(n)});
  const auto* diagonal = static_cast<const double*>(numeric_->Udiag);
  for (int k = 0; k < n; ++k) {
    if (diagonal[k] < 0) sign = -sign;
  }
  return sign;
}

}  // namespace locdyn::detail
