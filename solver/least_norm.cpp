#include <locdyn/solver/least_norm.hpp>

namespace locdyn::detail {

void LeastNorm::factorise(const Eigen::Ref<const Eigen::MatrixXd>& A, double tolerance) {
  factor_.setThreshold(tolerance);
  factor_.compute(Eigen::MatrixXd(A));
}

Eigen::MatrixXd LeastNorm::solve(const Eigen::Ref<const Eigen::MatrixXd>& b) const {
  return factor_.solve(Eigen::MatrixXd(b));
}

Eigen::MatrixXd LeastNorm::pseudo_inverse() const {
  return solve(Eigen::MatrixXd::Identity(factor_.rows(), factor_.rows()));
}

Eigen::MatrixXd LeastNorm::orthogonal() const {
  Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(factor_.rows(), factor_.rows());
  Q.applyOnTheLeft(factor_.householderQ());
  return Q;
}

}  // namespace locdyn::detail
