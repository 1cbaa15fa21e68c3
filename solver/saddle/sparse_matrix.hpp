#pragma once
// The sparse matrix of the saddle-point path, by columns.

#include <Eigen/SparseCore>
#include <algorithm>
#include <vector>

namespace locdyn::detail {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// The places of a matrix's numbers: while they stay, a symbolic analysis does.
class SparsityPattern {
 public:
  /// Takes the pattern of a compressed matrix; true where it differs from the one kept so far.
  bool changes_to(const SparseMatrix& A) {
    const bool same = rows_ == A.rows() && start_.size() == static_cast<std::size_t>(A.outerSize() + 1) &&
                      row_.size() == static_cast<std::size_t>(A.nonZeros()) &&
                      std::equal(start_.begin(), start_.end(), A.outerIndexPtr()) &&
                      std::equal(row_.begin(), row_.end(), A.innerIndexPtr());
    if (same) return false;
    rows_ = A.rows();
    start_.assign(A.outerIndexPtr(), A.outerIndexPtr() + A.outerSize() + 1);
    row_.assign(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros());
    return true;
  }

 private:
  Eigen::Index rows_ = -1;
  std::vector<int> start_, row_;
};

}  // namespace locdyn::detail
