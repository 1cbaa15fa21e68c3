#include <locdyn/dynamics/smooth/constrained_solve.hpp>

#include <Eigen/Cholesky>
#include <utility>

namespace locdyn {
namespace {

constexpr Eigen::Index kMostDense = 120;  // coordinates

}  // namespace

ConstrainedSolve::ConstrainedSolve(SparseMatrix A) : A_(std::move(A)), sparse_({.rank_check = RankCheck::never}) {
  if (A_.rows() > kMostDense) return;
  const Eigen::LLT<Eigen::MatrixXd> factor{Eigen::MatrixXd(A_)};
  dense_ = factor.info() == Eigen::Success;
  if (dense_) L_ = factor.matrixL();
}

void ConstrainedSolve::factorise(const SparseMatrix& G) {
  if (!dense_) {
    sparse_.factorise({.A = A_, .G = G, .compliance = {}, .rows = {}});
  } else if (G.rows() > 0) {
    qr_.compute(L_.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd(G.transpose())));
  }
}

// Dense: with Y = L⁻¹ Gᵀ and z = Lᵀ a, the nearest z to L⁻¹ f that has Yᵀ z = γ.
Eigen::VectorXd ConstrainedSolve::solve(const Eigen::VectorXd& f, const Eigen::VectorXd& gamma) const {
  if (!dense_) return sparse_.solve(f, gamma).a;
  Eigen::VectorXd z = L_.triangularView<Eigen::Lower>().solve(f);
  if (const Eigen::Index k = gamma.size(); k > 0) {
    z.applyOnTheLeft(qr_.householderQ().transpose());
    z.head(k) = gamma;
    qr_.matrixQR().topRows(k).triangularView<Eigen::Upper>().transpose().solveInPlace(z.head(k));
    z.applyOnTheLeft(qr_.householderQ());
  }
  return L_.transpose().triangularView<Eigen::Upper>().solve(z);
}

Eigen::VectorXd ConstrainedSolve::smallest(const Eigen::VectorXd& gamma) const {
  return solve(Eigen::VectorXd::Zero(A_.rows()), gamma);
}

}  // namespace locdyn
