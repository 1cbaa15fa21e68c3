#include <locdyn/solver/saddle/row_rank.hpp>

#include <cmath>
#include <stdexcept>

namespace locdyn::detail {
namespace {

constexpr double kNegligible = 1e-14;   // entries of a null vector below are none
constexpr double kParticipates = 1e-6;  // a row with less weight than this is not named

}  // namespace

void RowRank::Projector::set(const SparseMatrix& null_vectors) {
  N = null_vectors;
  for (Eigen::Index k = 0; k < N.cols(); ++k) N.col(k) /= N.col(k).norm();
  const SparseMatrix product = N.transpose() * N;
  if (!normal.factorise(product.triangularView<Eigen::Lower>())) {
    throw std::runtime_error("redundant rows: expected independent null vectors, found a singular product");
  }
}

Eigen::VectorXd RowRank::Projector::project(const Eigen::VectorXd& x) const {
  if (N.cols() == 0) return Eigen::VectorXd::Zero(x.size());
  return N * normal.solve(N.transpose() * x);
}

void RowRank::analyse(const ScaledSaddle& saddle, double tolerance) {
  const SparseMatrix transposed = saddle.all_columns().transpose();
  qr_.factorise(transposed, tolerance);
  row_scale_ = saddle.row_scale();

  // e_i − x with R₁₁ x = (Qᵀ G_i)₁ for each redundant row i, a few rows at a time.
  constexpr std::size_t kAtOnce = 32;
  const std::vector<int>& rows = qr_.dependent();
  std::vector<Eigen::Triplet<double>> entries;
  redundant_.clear();
  for (std::size_t start = 0; start < rows.size(); start += kAtOnce) {
    const auto count = static_cast<Eigen::Index>(std::min(kAtOnce, rows.size() - start));
    Eigen::MatrixXd chosen(transposed.rows(), count);
    for (Eigen::Index k = 0; k < count; ++k) chosen.col(k) = transposed.col(rows[start + k]);
    const Eigen::MatrixXd weights = qr_.solve_upper(qr_.apply_transpose(chosen).topRows(qr_.rank()));
    for (Eigen::Index k = 0; k < count; ++k) {
      const int row = rows[start + k];
      const auto column = static_cast<int>(start) + static_cast<int>(k);
      RedundantRow found{.row = row, .others = {}};
      entries.emplace_back(row, column, 1.0);
      for (Eigen::Index i = 0; i < weights.rows(); ++i) {
        if (std::abs(weights(i, k)) > kNegligible) entries.emplace_back(static_cast<int>(i), column, -weights(i, k));
        if (std::abs(weights(i, k)) > kParticipates) found.others.push_back(i);
      }
      redundant_.push_back(std::move(found));
    }
  }
  SparseMatrix N(saddle.rows(), static_cast<Eigen::Index>(rows.size()));
  N.setFromTriplets(entries.begin(), entries.end());
  scaled_.set(N);
  raw_.set(row_scale_.asDiagonal() * N);
}

Eigen::VectorXd RowRank::contradiction(const Eigen::VectorXd& gamma) const {
  return scaled_.project(gamma);
}

Eigen::VectorXd RowRank::least_scaled_norm(const Eigen::VectorXd& lambda) const {
  return lambda - scaled_.project(lambda);
}

Eigen::VectorXd RowRank::least_norm(const Eigen::VectorXd& lambda) const {
  const Eigen::VectorXd raw = row_scale_.cwiseProduct(lambda);
  return (raw - raw_.project(raw)).cwiseQuotient(row_scale_);
}

WeakestRow RowRank::weakest() const {
  WeakestRow weakest;
  const Eigen::Index rank = qr_.rank();
  if (rank == 0) return weakest;
  // A start that no symmetry of a mechanism makes orthogonal to what is looked for.
  Eigen::VectorXd x(rank);
  for (Eigen::Index i = 0; i < rank; ++i) x[i] = 1 + 0.5 * std::sin(static_cast<double>(7 * i + 1));
  x.normalize();
  Eigen::VectorXd rows;
  constexpr int kIterations = 5;
  for (int i = 0; i < kIterations; ++i) {
    Eigen::VectorXd padded = Eigen::VectorXd::Zero(row_scale_.size());
    padded(qr_.independent()) = x;
    const Eigen::VectorXd y = qr_.solve_upper_transpose(padded);  // R₁₁⁻ᵀ x
    rows = qr_.solve_upper(y);                                    // R₁₁⁻¹ y, by row of G
    weakest.singular_value = std::min(1 / y.norm(), std::sqrt(1 / rows.norm()));
    x = rows(qr_.independent()).normalized();
  }
  rows.cwiseAbs().maxCoeff(&weakest.row);
  return weakest;
}

}  // namespace locdyn::detail
