#pragma once
// M of a component and many bilateral rows G in one sparse factor, where the dense Schur complement of `component` is
// dear: in rows and columns brought to about 1,
//
//   [M  −G] [v]   [ F]
//   [Gᵀ δI] [l] = [−b],
//
// refined by the proximal method of multipliers to the δ = 0 that is meant. Rows that repeat others share their force,
// since l starts from 0 and stays in the range of Gᵀ.
//
// Source: Benzi, Golub & Liesen, Acta Numerica 14 (2005) 1–137, §7 (regularised); Rockafellar, Math. Oper. Res. 1
// (1976) 97–116.

#include <Eigen/Core>

#include <locdyn/solver/newton/sparse_lu.hpp>
#include <locdyn/solver/saddle/sparse_matrix.hpp>

namespace locdyn::detail {

class SaddleFactor {
 public:
  /// M (n×n), G (n×p). False where no factor was made. Cost: a sparse LU factorisation of n + p unknowns.
  [[nodiscard]] bool factorise(const SparseMatrix& M, const SparseMatrix& G);

  /// v (n) and l (p) for F (n) and b (p), to the precision of the numbers where the rows do not contradict each other;
  /// not a number where F or b is not finite, or the factor is of no use.
  /// Cost: a few solves with the factor.
  void solve(const Eigen::Ref<const Eigen::VectorXd>& F, const Eigen::Ref<const Eigen::VectorXd>& b,
             Eigen::Ref<Eigen::VectorXd> v, Eigen::Ref<Eigen::VectorXd> l) const;

 private:
  SparseMatrix M_, G_;              // scaled: D M D, D G E
  Eigen::VectorXd velocity_, row_;  // D, E
  SparseRows K_;
  SparseLu factor_;
};

}  // namespace locdyn::detail
