#include <locdyn/solver/saddle/motion_basis.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

namespace locdyn::detail {
namespace {

void require_rows(Eigen::Index expected, Eigen::Index found, const char* what) {
  if (expected == found) return;
  throw std::invalid_argument("motion basis: " + std::string(what) + ": expected " + std::to_string(expected) +
                              " rows, found " + std::to_string(found));
}

}  // namespace

MotionBasis::MotionBasis(const SparseMatrix& G, double rank_tolerance) : coordinates_(G.cols()) {
  if (!(rank_tolerance > 0 && rank_tolerance < 1)) {
    throw std::invalid_argument("motion basis: rank_tolerance: expected a number in (0, 1), found " +
                                std::to_string(rank_tolerance));
  }
  SparseMatrix transposed = G.transpose();
  for (Eigen::Index i = 0; i < transposed.cols(); ++i) {
    const double norm = transposed.col(i).norm();
    if (!std::isfinite(norm)) {
      throw std::invalid_argument("motion basis: row " + std::to_string(i) + ": expected finite numbers, found " +
                                  std::to_string(norm));
    }
    if (norm > 0) transposed.col(i) /= norm;
  }
  qr_.factorise(transposed, rank_tolerance);
}

Eigen::MatrixXd MotionBasis::apply(const Eigen::Ref<const Eigen::MatrixXd>& y) const {
  require_rows(freedoms(), y.rows(), "y");
  Eigen::MatrixXd padded = Eigen::MatrixXd::Zero(coordinates_, y.cols());
  padded.bottomRows(freedoms()) = y;
  return qr_.apply(padded);
}

Eigen::MatrixXd MotionBasis::apply_transpose(const Eigen::Ref<const Eigen::MatrixXd>& x) const {
  require_rows(coordinates_, x.rows(), "x");
  return qr_.apply_transpose(x).bottomRows(freedoms());
}

Eigen::MatrixXd MotionBasis::vectors() const {
  return apply(Eigen::MatrixXd::Identity(freedoms(), freedoms()));
}

}  // namespace locdyn::detail
