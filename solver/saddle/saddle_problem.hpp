#pragma once
// The holonomic saddle point: n coordinates a (accelerations, or velocities of a step) under m bilateral rows,
//
//   A a − Gᵀ λ = f,   G a + C λ = γ
//
// with A symmetric and block diagonal over groups of coordinates, each block positive definite (a body) or zero
// (surface parameters of a cam), G with any rank, C ≥ 0 diagonal (compliant rows).
//
// Source: Benzi, Golub & Liesen, Acta Numerica 14 (2005) 1–137; Arnold, "Numerical methods for simulation in applied
// mechanics", in: Simulation Techniques for Applied Dynamics (2008).

#include <span>
#include <string>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/saddle/sparse_matrix.hpp>

namespace locdyn::detail {

/// What a row of G is called: row `row` of a constraint (0 … 2 of its first block, 3 … 5 of its second), or, where the
/// constraint is kNone, row `row` of the matrix.
struct SaddleRow {
  ConstraintId constraint{kNone};
  int row = 0;
};

/// "constraint 4, row 2", or "row 7".
[[nodiscard]] std::string spelled(const SaddleRow& row);

struct SaddleProblem {
  SparseMatrix A;               ///< n×n, both triangles
  SparseMatrix G;               ///< m×n
  Eigen::VectorXd compliance;   ///< C (m); of size 0: none
  std::vector<SaddleRow> rows;  ///< m names; empty: rows are named by their number

  [[nodiscard]] SaddleRow name(Eigen::Index row) const {
    return rows.empty() ? SaddleRow{.constraint = ConstraintId{kNone}, .row = static_cast<int>(row)} : rows[row];
  }
};

/// The bilateral rows of a graph as a saddle point in velocity changes: A/h y − Hᵀ R = Σ Hᵀ R of other laws, H y + C R
/// = −(B + σ), so that λ = R and U = B + H y.
struct BilateralSystem {
  SaddleProblem problem;
  Eigen::VectorXd gamma;              ///< −(B + σ) (m)
  std::vector<Eigen::Index> first;    ///< by group of velocities: its first coordinate; −1 where no row acts on it
  std::vector<ConstraintId> members;  ///< the constraints taken
};

/// The bilateral rows of the joints among `ids`, in their order; contacts and bounded rows are left out. Moment rows
/// are scaled as the graph has them. Throws std::invalid_argument where the graph does not know its factor or an id is
/// not in it. Cost: one pass over the constraints' couplings.
[[nodiscard]] BilateralSystem bilateral_system(const LocalDynamics& ldy, std::span<const ConstraintId> ids);
/// The same of all bilateral constraints, ids ascending.
[[nodiscard]] BilateralSystem bilateral_system(const LocalDynamics& ldy);

/// −(B + σ) of the rows of `system` as the graph holds them now.
[[nodiscard]] Eigen::VectorXd bilateral_load(const LocalDynamics& ldy, const SaddleProblem& problem);

}  // namespace locdyn::detail
