#include <locdyn/solver/global/component.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace locdyn::detail {
namespace {

constexpr double kRedundant = 1e-10;  // of a bilateral row's own response
constexpr Eigen::Index kBatch = 64;
constexpr std::size_t kMostDenseRows = 100;  // bilateral: about where both take as long

}  // namespace

void GlobalComponent::factorise(SparseMatrix M, SparseMatrix G) {
  if (!mass_.factorise(std::move(M))) {
    throw std::invalid_argument("M: expected a regular matrix, found a singular one in the rows coupled with row " +
                                std::to_string(velocities.front()));
  }
  G_ = std::move(G);
  if (bilateral.empty()) return;
  if (bilateral.size() > kMostDenseRows) {
    saddle_ = std::make_unique<SaddleFactor>();
    if (saddle_->factorise(mass_.matrix(), G_)) return;
    saddle_.reset();
  }
  Y_ = mass_.solve(Eigen::MatrixXd(G_));
  const Eigen::MatrixXd S = G_.transpose() * Y_;
  row_scale_ = S.diagonal().cwiseAbs();
  for (double& response : row_scale_) response = response > 0 ? 1 / std::sqrt(response) : 0;
  schur_.factorise(row_scale_.asDiagonal() * S * row_scale_.asDiagonal(), kRedundant);
}

GlobalComponent::Motion GlobalComponent::solve(const Eigen::Ref<const Eigen::MatrixXd>& F,
                                               const Eigen::Ref<const Eigen::MatrixXd>& b) const {
  if (saddle_) {
    Motion motion{Eigen::MatrixXd(F.rows(), F.cols()), Eigen::MatrixXd(b.rows(), F.cols())};
    for (Eigen::Index k = 0; k < F.cols(); ++k) saddle_->solve(F.col(k), b.col(k), motion.v.col(k), motion.l.col(k));
    return motion;
  }
  Motion motion{mass_.solve(F), Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(bilateral.size()), F.cols())};
  if (bilateral.empty()) return motion;
  // The second turn takes what rounding left of the first.
  for (int turn = 0; turn < 2; ++turn) {
    const Eigen::MatrixXd left = row_scale_.asDiagonal() * (G_.transpose() * motion.v + b);
    const Eigen::MatrixXd step = row_scale_.asDiagonal() * schur_.solve(left);
    motion.l -= step;
    motion.v -= Y_ * step;
  }
  return motion;
}

void GlobalComponent::respond() {
  const Eigen::Index columns = H.cols();
  W.resize(columns, columns);
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(bilateral.size()), kBatch);
  for (Eigen::Index first = 0; first < columns; first += kBatch) {
    const Eigen::Index count = std::min(kBatch, columns - first);
    const Eigen::MatrixXd load = H.middleCols(first, count);
    W.middleCols(first, count) = H.transpose() * solve(load, none.leftCols(count)).v;
  }
  if (mass_.symmetric()) W = 0.5 * (W + W.transpose()).eval();
}

}  // namespace locdyn::detail
