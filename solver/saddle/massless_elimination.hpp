#pragma once
// Coordinates without mass taken out of the saddle point. They move freely, so the rows may do no work on them: with
// the range Y and the left null space Z of Ŝ, found cluster by cluster of massless coordinates that share rows,
//
//   λ̂ = −(Ŝᵀ)⁺ ê + Z ν,   z − (ZᵀĜ)ᵀ ν = f̂ − Ĝᵀ (Ŝᵀ)⁺ ê,   ZᵀĜ z = Zᵀ γ̂,   s = Ŝ⁺ (γ̂ − Ĝ z)
//
// Two tangency rows on one surface parameter leave one row, the contact of a cam. A parameter that no row holds stays
// as it is (s of least norm), and a force on it is one that nothing can carry.

#include <locdyn/solver/saddle/scaled_saddle.hpp>

namespace locdyn::detail {

class MasslessElimination {
 public:
  /// Singular values of Ŝ below `tolerance` of its cluster's largest count as zero. Cost: a dense orthogonal
  /// decomposition of each cluster.
  void eliminate(const ScaledSaddle& saddle, double tolerance);

  /// Z (m×m'), orthonormal columns; the identity where nothing is without mass.
  [[nodiscard]] const SparseMatrix& Z() const noexcept { return Z_; }
  /// Ŝ⁺ x (q) of x (m); and −(Ŝᵀ)⁺ ê (m) of ê (q).
  [[nodiscard]] Eigen::VectorXd parameters(const Eigen::VectorXd& x) const;
  [[nodiscard]] Eigen::VectorXd carrying(const Eigen::VectorXd& e) const;
  /// The part of ê that rows can carry: Ŝᵀ (Ŝᵀ)⁺ ê.
  [[nodiscard]] Eigen::VectorXd carried(const Eigen::VectorXd& e) const;
  /// Independent combinations of massless coordinates that no row holds.
  [[nodiscard]] Eigen::Index free_parameters() const noexcept { return free_; }

 private:
  struct Cluster {
    std::vector<int> rows, parameters;
    Eigen::MatrixXd S, inverse;  // Ŝ of the cluster and its pseudo-inverse
  };
  std::vector<Cluster> clusters_;
  SparseMatrix Z_;
  Eigen::Index parameters_ = 0, rows_ = 0, free_ = 0;
};

}  // namespace locdyn::detail
