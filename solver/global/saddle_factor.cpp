#include <locdyn/solver/global/saddle_factor.hpp>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <locdyn/solver/global/unit_scale.hpp>

namespace locdyn::detail {
namespace {

constexpr double kDelta = 1e-9;  // of the scaled rows
constexpr int kMostRefinements = 30;
constexpr double kRefinementGain = 0.9;  // of what is left; above it is rounding

// 1/‖column‖; 0 for an empty one.
Eigen::VectorXd column_scale(const SparseMatrix& G) {
  Eigen::VectorXd scale(G.cols());
  for (Eigen::Index j = 0; j < G.cols(); ++j) {
    const double norm = G.col(j).norm();
    scale[j] = norm > 0 ? 1 / norm : 0;
  }
  return scale;
}

}  // namespace

bool SaddleFactor::factorise(const SparseMatrix& M, const SparseMatrix& G) {
  velocity_ = unit_scale(M);
  M_ = velocity_.asDiagonal() * M * velocity_.asDiagonal();
  G_ = velocity_.asDiagonal() * G;
  row_ = column_scale(G_);
  G_ = G_ * row_.asDiagonal();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(M_.nonZeros() + 2 * G_.nonZeros() + G_.cols());
  const auto n = static_cast<int>(M_.rows());
  for (Eigen::Index j = 0; j < M_.cols(); ++j) {
    for (SparseMatrix::InnerIterator at(M_, j); at; ++at) entries.emplace_back(at.row(), at.col(), at.value());
  }
  for (Eigen::Index j = 0; j < G_.cols(); ++j) {
    const int row = n + static_cast<int>(j);
    for (SparseMatrix::InnerIterator at(G_, j); at; ++at) {
      entries.emplace_back(at.row(), row, -at.value());
      entries.emplace_back(row, at.row(), at.value());
    }
    entries.emplace_back(row, row, kDelta);
  }
  SparseMatrix K(n + G_.cols(), n + G_.cols());
  K.setFromTriplets(entries.begin(), entries.end());
  K_ = by_rows(K);
  return factor_.factorise(K_);
}

void SaddleFactor::solve(const Eigen::Ref<const Eigen::VectorXd>& F, const Eigen::Ref<const Eigen::VectorXd>& b,
                         Eigen::Ref<Eigen::VectorXd> v, Eigen::Ref<Eigen::VectorXd> l) const {
  const Eigen::Index n = M_.rows(), p = G_.cols();
  const Eigen::VectorXd load = velocity_.cwiseProduct(F), rest = row_.cwiseProduct(b);
  Eigen::VectorXd left(n + p), step(n + p), x = Eigen::VectorXd::Zero(n + p), best = x;
  double least = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn <= kMostRefinements; ++turn) {
    left.head(n) = load - M_ * x.head(n) + G_ * x.tail(p);
    left.tail(p) = -rest - G_.transpose() * x.head(n);
    const double norm = left.stableNorm();
    if (turn == 0 && !std::isfinite(norm)) best.setConstant(std::numeric_limits<double>::quiet_NaN());
    if (!(norm < least)) break;
    const bool gained = norm < kRefinementGain * least;
    least = norm;
    best = x;
    if (norm == 0 || !gained) break;
    const std::span<double> to(step.data(), static_cast<std::size_t>(n + p));
    if (!factor_.solve(K_, {left.data(), static_cast<std::size_t>(n + p)}, to)) {
      best.setConstant(std::numeric_limits<double>::quiet_NaN());
      break;
    }
    x += step;
  }
  v = velocity_.cwiseProduct(best.head(n));
  l = row_.cwiseProduct(best.tail(p));
}

}  // namespace locdyn::detail
