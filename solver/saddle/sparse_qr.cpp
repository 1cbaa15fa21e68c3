#include <locdyn/solver/saddle/sparse_qr.hpp>

#include <new>
#include <stdexcept>

#ifdef LOCDYN_WITH_GPL
#include <SuiteSparseQR.hpp>
#else
#include <Eigen/OrderingMethods>
#include <Eigen/SparseQR>
#endif

#include <locdyn/solver/single_threaded_blas.hpp>

namespace locdyn::detail {

#ifdef LOCDYN_WITH_GPL

struct SparseQr::Handle {
  mutable cholmod_common common;
  SuiteSparseQR_factorization<double>* factor = nullptr;
  std::vector<SuiteSparse_long> start, row;

  Handle() {
    cholmod_l_start(&common);
    common.print = 0;  // a library says nothing
  }
  ~Handle() {
    drop();
    cholmod_l_finish(&common);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  void drop() {
    if (factor != nullptr) SuiteSparseQR_free(&factor, &common);
    factor = nullptr;
  }

  // A view of A with the 64-bit indices that SPQR asks for.
  cholmod_sparse view(const SparseMatrix& A) {
    start.assign(A.outerIndexPtr(), A.outerIndexPtr() + A.outerSize() + 1);
    row.assign(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros());
    cholmod_sparse sparse{};
    sparse.nrow = static_cast<std::size_t>(A.rows());
    sparse.ncol = static_cast<std::size_t>(A.cols());
    sparse.nzmax = static_cast<std::size_t>(A.nonZeros());
    sparse.p = start.data();
    sparse.i = row.data();
    sparse.x = const_cast<double*>(A.valuePtr());
    sparse.itype = CHOLMOD_LONG;
    sparse.xtype = CHOLMOD_REAL;
    sparse.dtype = CHOLMOD_DOUBLE;
    sparse.sorted = 1;
    sparse.packed = 1;
    return sparse;
  }

  // `work` maps a dense matrix to a new one of CHOLMOD's; the result is its first `rows` rows.
  template <class Work>
  Eigen::MatrixXd map(const Eigen::MatrixXd& x, Eigen::Index rows, const Work& work) const {
    const SingleThreadedBlas hold;
    cholmod_dense dense{};
    dense.nrow = dense.d = static_cast<std::size_t>(x.rows());
    dense.ncol = static_cast<std::size_t>(x.cols());
    dense.nzmax = static_cast<std::size_t>(x.size());
    dense.x = const_cast<double*>(x.data());
    dense.xtype = CHOLMOD_REAL;
    dense.dtype = CHOLMOD_DOUBLE;
    cholmod_dense* result = work(&dense);
    if (result == nullptr) throw std::bad_alloc();
    Eigen::MatrixXd y = Eigen::Map<const Eigen::MatrixXd>(static_cast<const double*>(result->x),
                                                          static_cast<Eigen::Index>(result->d), x.cols())
                            .topRows(rows);
    cholmod_l_free_dense(&result, &common);
    return y;
  }
};

void SparseQr::factorise(const SparseMatrix& A, double tolerance) {
  const SingleThreadedBlas hold;
  rows_ = A.rows();
  columns_ = A.cols();
  numbers_ = A.nonZeros();
  if (!empty()) {
    Handle& h = *handle_;
    cholmod_sparse sparse = h.view(A);
    if (pattern_.changes_to(A) || h.factor == nullptr) {
      h.drop();
      h.factor = SuiteSparseQR_symbolic<double>(SPQR_ORDERING_AMD, 1, &sparse, &h.common);
      ++analyses_;
    }
    if (h.factor == nullptr || SuiteSparseQR_numeric<double>(tolerance, &sparse, h.factor, &h.common) == 0) {
      h.drop();
      throw std::bad_alloc();
    }
  }
  find_columns();
}

void SparseQr::find_columns() {
  independent_.clear();
  dependent_.clear();
  const auto* factor = handle_->factor;
  if (empty()) {
    for (int j = 0; j < columns_; ++j) dependent_.push_back(j);
    return;
  }
  independent_.resize(static_cast<std::size_t>(factor->rank), -1);
  for (Eigen::Index j = 0; j < columns_; ++j) {
    const auto column = static_cast<int>(factor->Q1fill != nullptr ? factor->Q1fill[j] : j);
    const auto place = factor->Rmap != nullptr ? factor->Rmap[j] : j;
    if (place < factor->rank) {
      independent_[static_cast<std::size_t>(place)] = column;
    } else {
      dependent_.push_back(column);
    }
  }
  std::sort(dependent_.begin(), dependent_.end());
}

Eigen::MatrixXd SparseQr::apply(const Eigen::Ref<const Eigen::MatrixXd>& x) const {
  if (empty()) return x;
  return handle_->map(x, rows_, [this](cholmod_dense* dense) {
    return SuiteSparseQR_qmult<double>(SPQR_QX, handle_->factor, dense, &handle_->common);
  });
}

Eigen::MatrixXd SparseQr::apply_transpose(const Eigen::Ref<const Eigen::MatrixXd>& x) const {
  if (empty()) return x;
  return handle_->map(x, rows_, [this](cholmod_dense* dense) {
    return SuiteSparseQR_qmult<double>(SPQR_QTX, handle_->factor, dense, &handle_->common);
  });
}

Eigen::MatrixXd SparseQr::solve_upper(const Eigen::Ref<const Eigen::MatrixXd>& b) const {
  if (rank() == 0 || b.cols() == 0) return Eigen::MatrixXd::Zero(columns_, b.cols());
  Eigen::MatrixXd padded = Eigen::MatrixXd::Zero(rows_, b.cols());
  padded.topRows(rank()) = b;
  return handle_->map(padded, columns_, [this](cholmod_dense* dense) {
    return SuiteSparseQR_solve<double>(SPQR_RETX_EQUALS_B, handle_->factor, dense, &handle_->common);
  });
}

Eigen::MatrixXd SparseQr::solve_upper_transpose(const Eigen::Ref<const Eigen::MatrixXd>& b) const {
  if (rank() == 0 || b.cols() == 0) return Eigen::MatrixXd::Zero(rank(), b.cols());
  return handle_->map(b, rank(), [this](cholmod_dense* dense) {
    return SuiteSparseQR_solve<double>(SPQR_RTX_EQUALS_ETB, handle_->factor, dense, &handle_->common);
  });
}

#else

struct SparseQr::Handle {
  Eigen::SparseQR<SparseMatrix, Eigen::COLAMDOrdering<int> > factor;
  SparseMatrix R11;
};

void SparseQr::factorise(const SparseMatrix& A, double tolerance) {
  rows_ = A.rows();
  columns_ = A.cols();
  numbers_ = A.nonZeros();
  if (!empty()) {
    if (pattern_.changes_to(A)) ++analyses_;
    handle_->factor.setPivotThreshold(tolerance);
    handle_->factor.compute(A);  // anew each time: the analysis does not survive a dependent column
    if (handle_->factor.info() != Eigen::Success) {
      throw std::runtime_error("sparse QR: expected a factor, found " + handle_->factor.lastErrorMessage());
    }
  }
  find_columns();
}

void SparseQr::find_columns() {
  independent_.clear();
  dependent_.clear();
  const Eigen::Index rank = empty() ? 0 : handle_->factor.rank();
  for (Eigen::Index j = 0; j < columns_; ++j) {
    const int column = empty() ? static_cast<int>(j) : handle_->factor.colsPermutation().indices()[j];
    (j < rank ? independent_ : dependent_).push_back(column);
  }
  std::sort(dependent_.begin(), dependent_.end());
  if (empty()) return;
  // Eigen leaves the rows of a column of R in any order: row by row and back sorts them.
  const Eigen::SparseMatrix<double, Eigen::RowMajor> by_row = handle_->factor.matrixR();
  handle_->R11 = SparseMatrix(by_row).topLeftCorner(rank, rank);
}

Eigen::MatrixXd SparseQr::apply(const Eigen::Ref<const Eigen::MatrixXd>& x) const {
  if (empty()) return x;
  const Eigen::MatrixXd dense = x;
  return handle_->factor.matrixQ() * dense;
}

Eigen::MatrixXd SparseQr::apply_transpose(const Eigen::Ref<const Eigen::MatrixXd>& x) const {
  if (empty()) return x;
  const Eigen::MatrixXd dense = x;
  return handle_->factor.matrixQ().transpose() * dense;
}

Eigen::MatrixXd SparseQr::solve_upper(const Eigen::Ref<const Eigen::MatrixXd>& b) const {
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(columns_, b.cols());
  if (rank() == 0) return x;
  x(independent_, Eigen::all) = handle_->R11.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd(b));
  return x;
}

Eigen::MatrixXd SparseQr::solve_upper_transpose(const Eigen::Ref<const Eigen::MatrixXd>& b) const {
  if (rank() == 0) return Eigen::MatrixXd::Zero(0, b.cols());
  const Eigen::MatrixXd chosen = b(independent_, Eigen::all);
  return handle_->R11.transpose().triangularView<Eigen::Lower>().solve(chosen);
}

#endif

SparseQr::SparseQr() : handle_(std::make_unique<Handle>()) {}
SparseQr::~SparseQr() = default;
SparseQr::SparseQr(SparseQr&&) noexcept = default;
SparseQr& SparseQr::operator=(SparseQr&&) noexcept = default;

}  // namespace locdyn::detail
