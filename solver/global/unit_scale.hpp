#pragma once
// What the factors of `solver/global` start from: a matrix in units of its own, and by rows.

#include <Eigen/Core>

#include <locdyn/solver/newton/sparse_rows.hpp>
#include <locdyn/solver/saddle/sparse_matrix.hpp>

namespace locdyn::detail {

/// D with D M D of unit diagonal: 1/√|M_ii|, or of the largest entry of a row without a diagonal one; 0 for an empty
/// row.
[[nodiscard]] Eigen::VectorXd unit_scale(const SparseMatrix& M);

[[nodiscard]] SparseRows by_rows(const SparseMatrix& A);

}  // namespace locdyn::detail
