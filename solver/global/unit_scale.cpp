#include <locdyn/solver/global/unit_scale.hpp>

#include <algorithm>
#include <cmath>

namespace locdyn::detail {

Eigen::VectorXd unit_scale(const SparseMatrix& M) {
  Eigen::VectorXd diagonal = M.diagonal().cwiseAbs(), largest = Eigen::VectorXd::Zero(M.rows());
  for (Eigen::Index j = 0; j < M.cols(); ++j) {
    for (SparseMatrix::InnerIterator at(M, j); at; ++at) {
      largest[at.row()] = std::max(largest[at.row()], std::abs(at.value()));
      largest[j] = std::max(largest[j], std::abs(at.value()));
    }
  }
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    const double size = diagonal[i] > 0 ? diagonal[i] : largest[i];
    diagonal[i] = size > 0 ? 1 / std::sqrt(size) : 0;
  }
  return diagonal;
}

SparseRows by_rows(const SparseMatrix& A) {
  const SparseMatrix columns = A.transpose();
  const Eigen::Index count = columns.nonZeros();
  return {.start = {columns.outerIndexPtr(), columns.outerIndexPtr() + columns.outerSize() + 1},
          .column = {columns.innerIndexPtr(), columns.innerIndexPtr() + count},
          .value = {columns.valuePtr(), columns.valuePtr() + count}};
}

}  // namespace locdyn::detail
