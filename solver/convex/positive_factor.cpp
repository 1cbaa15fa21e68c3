#include <locdyn/solver/convex/positive_factor.hpp>

#include <chrono>
#include <new>

#ifdef LOCDYN_WITH_GPL
#include <cholmod.h>

#include <algorithm>
#else
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#endif

#include <locdyn/solver/single_threaded_blas.hpp>

namespace locdyn::detail {
namespace {

constexpr double kNegligible = 1e9;  // operations: below a second on any machine
constexpr int kTrialSize = 800;

LowerTriangle dense_trial() {
  LowerTriangle A;
  A.start.push_back(0);
  for (int column = 0; column < kTrialSize; ++column) {
    for (int row = column; row < kTrialSize; ++row) {
      A.row.push_back(row);
      A.value.push_back(row == column ? kTrialSize : 1);
    }
    A.start.push_back(static_cast<int>(A.row.size()));
  }
  return A;
}

}  // namespace

#ifdef LOCDYN_WITH_GPL

struct PositiveFactor::Handle {
  cholmod_common common;
  cholmod_factor* factor = nullptr;
  cholmod_dense* solution = nullptr;
  cholmod_dense* work_Y = nullptr;
  cholmod_dense* work_E = nullptr;

  Handle() {
    cholmod_start(&common);
    common.print = 0;  // a library says nothing
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_AMD;
    common.quick_return_if_not_posdef = 1;
  }
  ~Handle() {
    cholmod_free_factor(&factor, &common);
    cholmod_free_dense(&solution, &common);
    cholmod_free_dense(&work_Y, &common);
    cholmod_free_dense(&work_E, &common);
    cholmod_finish(&common);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
};

namespace {

// The matrix as CHOLMOD sees it, in the same memory.
cholmod_sparse view(LowerTriangle& A) {
  cholmod_sparse sparse = {};
  sparse.nrow = sparse.ncol = static_cast<std::size_t>(A.size());
  sparse.nzmax = A.row.size();
  sparse.p = A.start.data();
  sparse.i = A.row.data();
  sparse.x = A.value.data();
  sparse.stype = -1;
  sparse.itype = CHOLMOD_INT;
  sparse.xtype = CHOLMOD_REAL;
  sparse.dtype = CHOLMOD_DOUBLE;
  sparse.sorted = 1;
  sparse.packed = 1;
  return sparse;
}

}  // namespace

void PositiveFactor::analyse(LowerTriangle& A) {
  const SingleThreadedBlas hold;
  cholmod_sparse sparse = view(A);
  cholmod_free_factor(&handle_->factor, &handle_->common);
  handle_->factor = cholmod_analyze(&sparse, &handle_->common);
  seconds_ = 0;
  if (handle_->factor == nullptr) throw std::bad_alloc();
}

bool PositiveFactor::factorise_untimed(LowerTriangle& A) {
  const SingleThreadedBlas hold;
  cholmod_sparse sparse = view(A);
  cholmod_factorize(&sparse, handle_->factor, &handle_->common);
  if (handle_->common.status < CHOLMOD_OK) throw std::bad_alloc();
  return handle_->common.status == CHOLMOD_OK && handle_->factor->minor == handle_->factor->n;
}

void PositiveFactor::solve(std::span<double> b) {
  const SingleThreadedBlas hold;
  cholmod_dense right = {};
  right.nrow = right.nzmax = right.d = b.size();
  right.ncol = 1;
  right.x = b.data();
  right.xtype = CHOLMOD_REAL;
  right.dtype = CHOLMOD_DOUBLE;
  const int solved = cholmod_solve2(CHOLMOD_A, handle_->factor, &right, nullptr, &handle_->solution, nullptr,
                                    &handle_->work_Y, &handle_->work_E, &handle_->common);
  if (solved == 0 || handle_->solution == nullptr) throw std::bad_alloc();
  const auto* x = static_cast<const double*>(handle_->solution->x);
  std::copy(x, x + b.size(), b.begin());
}

double PositiveFactor::flops() const noexcept {
  return handle_->common.fl;
}

double PositiveFactor::entries() const noexcept {
  return handle_->common.lnz;
}

#else

struct PositiveFactor::Handle {
  struct Cholesky : Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower> {
    /// By the analysis: the sum over columns of the square of their lengths.
    [[nodiscard]] double flops() const { return (m_nonZerosPerCol.cast<double>().array() + 1).square().sum(); }
    [[nodiscard]] double entries() const { return (m_nonZerosPerCol.cast<double>().array() + 1).sum(); }
  };

  Cholesky factor;
  double flops = 0, entries = 0;

  static Eigen::Map<const Eigen::SparseMatrix<double> > view(const LowerTriangle& A) {
    return {A.size(), A.size(), static_cast<Eigen::Index>(A.row.size()), A.start.data(), A.row.data(), A.value.data()};
  }
};

void PositiveFactor::analyse(LowerTriangle& A) {
  handle_->factor.analyzePattern(Handle::view(A));
  handle_->flops = handle_->factor.flops();
  handle_->entries = handle_->factor.entries();
  seconds_ = 0;
}

bool PositiveFactor::factorise_untimed(LowerTriangle& A) {
  handle_->factor.factorize(Handle::view(A));
  return handle_->factor.info() == Eigen::Success;
}

void PositiveFactor::solve(std::span<double> b) {
  Eigen::Map<Eigen::VectorXd> x(b.data(), static_cast<Eigen::Index>(b.size()));
  x = handle_->factor.solve(x).eval();
}

double PositiveFactor::flops() const noexcept {
  return handle_->flops;
}

double PositiveFactor::entries() const noexcept {
  return handle_->entries;
}

#endif

bool PositiveFactor::factorise(LowerTriangle& A) {
  const auto entered = std::chrono::steady_clock::now();
  const bool definite = factorise_untimed(A);
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - entered).count();
  return definite;
}

double PositiveFactor::expected_seconds() const {
  if (seconds_ > 0) return seconds_;
  if (flops() < kNegligible) return 0;
  LowerTriangle A = dense_trial();
  PositiveFactor trial;
  trial.analyse(A);
  for (int turn = 0; turn < 2; ++turn) (void)trial.factorise(A);  // the first finds the caches cold
  return flops() * trial.seconds_ / trial.flops();
}

PositiveFactor::PositiveFactor() : handle_(std::make_unique<Handle>()) {}
PositiveFactor::~PositiveFactor() = default;

}  // namespace locdyn::detail
