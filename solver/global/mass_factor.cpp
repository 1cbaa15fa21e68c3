#include <locdyn/solver/global/mass_factor.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include <locdyn/solver/global/unit_scale.hpp>

namespace locdyn::detail {
namespace {

constexpr Eigen::Index kMostDense = 64;
constexpr double kRoundingOfSymmetry = 1e-12;  // of M scaled to a unit diagonal
constexpr double kLeastCondition = 4 * std::numeric_limits<double>::epsilon();
constexpr double kMostLeft = 1e-6;  // of a known load, by a factor that is of use

double asymmetry(const SparseMatrix& A) {
  const SparseMatrix back = A.transpose();
  const SparseMatrix difference = A - back;
  double worst = 0;
  for (Eigen::Index j = 0; j < difference.cols(); ++j) {
    for (SparseMatrix::InnerIterator at(difference, j); at; ++at) worst = std::max(worst, std::abs(at.value()));
  }
  return worst;
}

}  // namespace

bool MassFactor::factorise(SparseMatrix M) {
  M_ = std::move(M);
  M_.makeCompressed();
  kind_ = Kind::none;
  scale_ = unit_scale(M_);
  SparseMatrix scaled = scale_.asDiagonal() * M_ * scale_.asDiagonal();
  scaled.makeCompressed();
  symmetric_ = asymmetry(scaled) <= kRoundingOfSymmetry;
  return M_.rows() <= kMostDense ? factorise_dense(scaled) : factorise_sparse(scaled);
}

bool MassFactor::factorise_dense(const SparseMatrix& scaled) {
  const Eigen::MatrixXd A = scaled;
  if (symmetric_) {
    cholesky_.compute(A);
    if (cholesky_.info() == Eigen::Success && cholesky_.rcond() > kLeastCondition) {
      kind_ = Kind::cholesky;
      return true;
    }
  }
  lu_.compute(A);
  kind_ = Kind::lu;
  return A.size() == 0 || (lu_.rcond() > kLeastCondition && solves_a_known_load());
}

bool MassFactor::factorise_sparse(const SparseMatrix& scaled) {
  if (symmetric_) {
    sparse_symmetric_ = std::make_unique<SymmetricFactor>();
    const SparseMatrix lower = scaled.triangularView<Eigen::Lower>();
    kind_ = Kind::sparse_symmetric;
    if (sparse_symmetric_->factorise(lower) && solves_a_known_load()) return true;
    sparse_symmetric_.reset();
  }
  sparse_lu_ = std::make_unique<SparseLu>();
  rows_ = by_rows(scaled);
  kind_ = Kind::sparse_lu;
  return sparse_lu_->factorise(rows_) && solves_a_known_load();
}

// A load of ±1 in units of the scaled rows, in an order that no M is likely to have in its range by chance.
bool MassFactor::solves_a_known_load() const {
  Eigen::VectorXd load(M_.rows());
  std::uint32_t state = 1;
  for (Eigen::Index i = 0; i < load.size(); ++i) {
    state = 1664525u * state + 1013904223u;
    load[i] = (state >> 31) != 0 ? 1 : -1;
  }
  const Eigen::VectorXd F = load.cwiseQuotient(scale_);
  const Eigen::VectorXd v = solve(F);
  const Eigen::VectorXd left = scale_.cwiseProduct(F - M_ * v);
  return left.norm() <= kMostLeft * load.norm();
}

Eigen::MatrixXd MassFactor::solve_once(const Eigen::MatrixXd& F) const {
  Eigen::MatrixXd scaled = scale_.asDiagonal() * F;
  switch (kind_) {
    case Kind::cholesky: cholesky_.solveInPlace(scaled); break;
    case Kind::lu: scaled = lu_.solve(scaled).eval(); break;
    case Kind::sparse_symmetric: scaled = sparse_symmetric_->solve(scaled); break;
    case Kind::sparse_lu: {
      const auto n = static_cast<std::size_t>(scaled.rows());
      Eigen::VectorXd x(scaled.rows());
      for (Eigen::Index k = 0; k < scaled.cols(); ++k) {
        if (!sparse_lu_->solve(rows_, {scaled.col(k).data(), n}, {x.data(), n})) {
          x.setConstant(std::numeric_limits<double>::quiet_NaN());
        }
        scaled.col(k) = x;
      }
      break;
    }
    case Kind::none: break;
  }
  return scale_.asDiagonal() * scaled;
}

Eigen::MatrixXd MassFactor::solve(const Eigen::Ref<const Eigen::MatrixXd>& F) const {
  Eigen::MatrixXd v = solve_once(F);
  v += solve_once(F - M_ * v);
  return v;
}

}  // namespace locdyn::detail
