#include <locdyn/solver/newton/sparse_lu.hpp>

#include <algorithm>
#include <cmath>

#ifdef LOCDYN_WITH_GPL
#include <umfpack.h>
#else
#include <klu.h>
#endif

#include <locdyn/solver/single_threaded_blas.hpp>

namespace locdyn {

#ifdef LOCDYN_WITH_GPL

// UMFPACK reads columns, so it is given Aᵀ and solves with the transpose of that.
struct SparseLu::Handles {
  void* symbolic = nullptr;
  void* numeric = nullptr;
  double control[UMFPACK_CONTROL];

  Handles() {
    umfpack_di_defaults(control);
    control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;  // the pattern is W's, and most pivots lie on the diagonal
  }
  ~Handles() {
    drop_numeric();
    drop_symbolic();
  }
  void drop_symbolic() {
    if (symbolic != nullptr) umfpack_di_free_symbolic(&symbolic);
  }
  void drop_numeric() {
    if (numeric != nullptr) umfpack_di_free_numeric(&numeric);
  }
};

bool SparseLu::factorise(const SparseRows& A) {
  const SingleThreadedBlas hold;
  const int n = A.size();
  double info[UMFPACK_INFO];
  handles_->drop_numeric();
  if (handles_->symbolic == nullptr || A.start != start_ || A.column != column_) {
    handles_->drop_symbolic();
    if (umfpack_di_symbolic(n, n, A.start.data(), A.column.data(), nullptr, &handles_->symbolic, handles_->control,
                            info) != UMFPACK_OK) {
      return false;
    }
    start_ = A.start;
    column_ = A.column;
  }
  const int status = umfpack_di_numeric(A.start.data(), A.column.data(), A.value.data(), handles_->symbolic,
                                        &handles_->numeric, handles_->control, info);
  if (handles_->numeric == nullptr) return false;
  flops_ += std::max(0.0, info[UMFPACK_FLOPS]);
  return status == UMFPACK_OK || status == UMFPACK_WARNING_singular_matrix;
}

bool SparseLu::solve(const SparseRows& A, std::span<const double> b, std::span<double> x) const {
  const SingleThreadedBlas hold;
  double info[UMFPACK_INFO];
  const int status = umfpack_di_solve(UMFPACK_At, A.start.data(), A.column.data(), A.value.data(), x.data(), b.data(),
                                      handles_->numeric, handles_->control, info);
  return status >= UMFPACK_OK && std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

#else

struct SparseLu::Handles {
  klu_common common;
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;

  Handles() { klu_defaults(&common); }
  ~Handles() {
    drop_numeric();
    drop_symbolic();
  }
  void drop_symbolic() { klu_free_symbolic(&symbolic, &common); }
  void drop_numeric() { klu_free_numeric(&numeric, &common); }
};

bool SparseLu::factorise(const SparseRows& A) {
  auto& h = *handles_;
  h.drop_numeric();
  // KLU reads columns and may not write: it is given Aᵀ and solves with the transpose of that.
  auto* start = const_cast<int*>(A.start.data());
  auto* column = const_cast<int*>(A.column.data());
  if (h.symbolic == nullptr || A.start != start_ || A.column != column_) {
    h.drop_symbolic();
    h.symbolic = klu_analyze(A.size(), start, column, &h.common);
    if (h.symbolic == nullptr) return false;
    start_ = A.start;
    column_ = A.column;
  }
  h.numeric = klu_factor(start, column, const_cast<double*>(A.value.data()), h.symbolic, &h.common);
  if (h.numeric == nullptr) return false;
  klu_flops(h.symbolic, h.numeric, &h.common);
  flops_ += std::max(0.0, h.common.flops);
  return h.common.status == KLU_OK;
}

bool SparseLu::solve(const SparseRows& A, std::span<const double> b, std::span<double> x) const {
  auto& h = *handles_;
  const int n = A.size();
  std::copy(b.begin(), b.end(), x.begin());
  if (klu_tsolve(h.symbolic, h.numeric, n, 1, x.data(), &h.common) == 0) return false;
  // One step of refinement.
  std::vector<double> left(b.begin(), b.end());
  for (int row = 0; row < n; ++row) {
    for (int at = A.start[row]; at < A.start[row + 1]; ++at) left[row] -= A.value[at] * x[A.column[at]];
  }
  if (klu_tsolve(h.symbolic, h.numeric, n, 1, left.data(), &h.common) == 0) return false;
  for (int row = 0; row < n; ++row) x[row] += left[row];
  return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

#endif

SparseLu::SparseLu() : handles_(std::make_unique<Handles>()) {}
SparseLu::~SparseLu() = default;

}  // namespace locdyn
