#include <locdyn/mechanism/smooth/constrained_solve.hpp>

#include <Eigen/Cholesky>
#include <utility>

namespace locdyn::detail {
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

// Dense: with Y = L⁻¹ Gᵀ = Q R, w = L⁻¹ f and z = Lᵀ a, the nearest z to w that has Yᵀ z = γ; z = w + Y λ.
ConstrainedSolve::Answer ConstrainedSolve::solve(const Eigen::VectorXd& f, const Eigen::VectorXd& gamma) const {
  if (!dense_) {
    SaddleSolution solution = sparse_.solve(f, gamma);
    return {std::move(solution.a), std::move(solution.lambda)};
  }
  Eigen::VectorXd z = L_.triangularView<Eigen::Lower>().solve(f), lambda(gamma.size());
  if (const Eigen::Index k = gamma.size(); k > 0) {
    const auto R = qr_.matrixQR().topRows(k).triangularView<Eigen::Upper>();
    z.applyOnTheLeft(qr_.householderQ().transpose());
    const Eigen::VectorXd met = R.transpose().solve(gamma);
    lambda = R.solve(met - z.head(k));
    z.head(k) = met;
    z.applyOnTheLeft(qr_.householderQ());
  }
  return {L_.transpose().triangularView<Eigen::Upper>().solve(z), std::move(lambda)};
}

Eigen::VectorXd ConstrainedSolve::smallest(const Eigen::VectorXd& gamma) const {
  return solve(Eigen::VectorXd::Zero(A_.rows()), gamma).a;
}

}  // namespace locdyn::detail
