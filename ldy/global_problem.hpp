#pragma once
// A frictional contact problem in the velocities of what is in contact, not condensed to its contacts: n velocities v,
// contact forces r, bilateral forces l,
//
//   M v = H r + G l + f,   u = Hᵀ v + w,   Gᵀ v + b = 0,
//
// each contact under its law. M is any regular matrix: block diagonal of rigid bodies, a finite element mesh, slightly
// unsymmetric by gyroscopic terms.
//
// Source: Acary, Brémond, Koziara & Pérignon, FCLIB: a collection of discrete 3D frictional contact problems, Inria
// RT-0444 (2014), §2.

#include <Eigen/SparseCore>
#include <vector>

#include <locdyn/ldy/law.hpp>

namespace locdyn {

struct GlobalProblem {
  /// Columns compressed.
  using Matrix = Eigen::SparseMatrix<double>;

  Matrix M;  ///< n×n
  Matrix H;  ///< n×3B, a column for each row (t1, t2, n) of the B blocks of all laws, one law after the other;
             ///< columns of rows that a law does not use hold nothing
  Matrix G;  ///< n×p
  Eigen::VectorXd f;      ///< n
  Eigen::VectorXd w;      ///< 3B
  Eigen::VectorXd b;      ///< p
  std::vector<Law> laws;  ///< of contacts; the length of `RollingLaw` is 1: moments in N m, coefficients in metres

  /// B, of all laws.
  [[nodiscard]] Eigen::Index block_count() const;

  /// Throws std::invalid_argument where sizes do not fit each other, a number is not finite, a law is bilateral or not
  /// valid, or an unused row holds something.
  void validate() const;
};

}  // namespace locdyn
