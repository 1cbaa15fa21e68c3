#include <locdyn/solver/saddle/symmetric_factor.hpp>

#include <amd.h>

#include <new>

#ifdef LOCDYN_WITH_GPL
#include <Eigen/CholmodSupport>
#else
#include <Eigen/SparseCholesky>
#endif

#include <locdyn/solver/single_threaded_blas.hpp>

namespace locdyn::detail {

#ifdef LOCDYN_WITH_GPL
struct SymmetricFactor::Handle {
  // Eigen takes it for granted that CHOLMOD has found memory.
  struct Factor : Eigen::CholmodSimplicialLDLT<SparseMatrix, Eigen::Lower> {
    void require_memory() {
      if (m_cholmodFactor == nullptr || cholmod().status < CHOLMOD_OK) throw std::bad_alloc();
    }
  };
  Factor factor;

  Handle() {
    cholmod_common& common = factor.cholmod();
    common.print = 0;     // a library says nothing
    common.nmethods = 1;  // the order is ours
    common.method[0].ordering = CHOLMOD_NATURAL;
  }
};
#else
struct SymmetricFactor::Handle {
  struct Factor : Eigen::SimplicialLDLT<SparseMatrix, Eigen::Lower, Eigen::NaturalOrdering<int>> {
    void require_memory() {}  // it has thrown
  };
  Factor factor;
};
#endif

SymmetricFactor::SymmetricFactor() : handle_(std::make_unique<Handle>()) {}
SymmetricFactor::~SymmetricFactor() = default;
SymmetricFactor::SymmetricFactor(SymmetricFactor&&) noexcept = default;
SymmetricFactor& SymmetricFactor::operator=(SymmetricFactor&&) noexcept = default;

std::vector<int> minimum_degree(const SparseMatrix& A) {
  std::vector<int> order(A.cols());
  const auto n = static_cast<int>(A.cols());
  if (amd_order(n, A.outerIndexPtr(), A.innerIndexPtr(), order.data(), nullptr, nullptr) < AMD_OK) {
    throw std::bad_alloc();  // of a sound pattern there is no other error
  }
  return order;
}

// The pattern of the permuted lower triangle, and where each number goes.
void SymmetricFactor::lay_out(const SparseMatrix& A, const std::vector<int>& order) {
  place_.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = static_cast<int>(i);
  using Numbered = Eigen::SparseMatrix<int>;
  std::vector<Eigen::Triplet<int>> entries;
  entries.reserve(A.nonZeros());
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    for (int at = A.outerIndexPtr()[j]; at < A.outerIndexPtr()[j + 1]; ++at) {
      const int a = place_[A.innerIndexPtr()[at]], b = place_[j];
      entries.emplace_back(std::max(a, b), std::min(a, b), at);
    }
  }
  Numbered numbered(A.rows(), A.cols());
  numbered.setFromTriplets(entries.begin(), entries.end());
  permuted_ = numbered.cast<double>();
  to_.resize(A.nonZeros());
  for (int at = 0; at < numbered.nonZeros(); ++at) to_[numbered.valuePtr()[at]] = at;
}

bool SymmetricFactor::factorise(const SparseMatrix& A, const EliminationOrder& order) {
  const SingleThreadedBlas hold;
  size_ = A.rows();
  if (size_ == 0) return true;
  try {
    const bool changed = pattern_.changes_to(A);
    if (changed) lay_out(A, order(A));
    for (Eigen::Index at = 0; at < A.nonZeros(); ++at) permuted_.valuePtr()[to_[at]] = A.valuePtr()[at];
    if (changed) {
      handle_->factor.analyzePattern(permuted_);
      handle_->factor.require_memory();
      ++analyses_;
    }
    handle_->factor.factorize(permuted_);
    handle_->factor.require_memory();
  } catch (...) {
    pattern_ = {};  // what was made of it is not whole
    throw;
  }
  return handle_->factor.info() == Eigen::Success;
}

Eigen::MatrixXd SymmetricFactor::solve(const Eigen::Ref<const Eigen::MatrixXd>& b) const {
  if (size_ == 0 || b.cols() == 0) return Eigen::MatrixXd::Zero(size_, b.cols());
  const SingleThreadedBlas hold;
  Eigen::MatrixXd ordered(b.rows(), b.cols());
  ordered(place_, Eigen::all) = b;
  const Eigen::MatrixXd x = handle_->factor.solve(ordered);
  handle_->factor.require_memory();
  return x(place_, Eigen::all);
}

}  // namespace locdyn::detail
