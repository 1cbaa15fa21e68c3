#pragma once
// One connected component of M and G: velocities that nothing but contacts ties to others. Its answer to a load, with
// its bilateral rows held, is
//
//   v = M⁻¹ (F + G l),   S l = −(Gᵀ M⁻¹ F + b),   S = Gᵀ M⁻¹ G
//
// by a pseudo-inverse of S: rows that repeat others share their force, least in units of their own response. Where
// there are many rows, by the sparse factor of the whole saddle point (saddle_factor.hpp).
//
// Source: Benzi, Golub & Liesen, Acta Numerica 14 (2005) 1–137, §5 (the Schur complement).

#include <memory>
#include <vector>

#include <locdyn/solver/global/mass_factor.hpp>
#include <locdyn/solver/global/saddle_factor.hpp>
#include <locdyn/solver/least_norm.hpp>

namespace locdyn::detail {

class GlobalComponent {
 public:
  std::vector<int> velocities;  ///< rows of M, ascending
  std::vector<int> bilateral;   ///< columns of G, ascending
  std::vector<int> blocks;      ///< blocks of the contacts that act on it, ascending
  SparseMatrix H;               ///< of these, three columns each
  Eigen::MatrixXd W;            ///< what they answer to each other (3k×3k), until it is in the graph

  struct Motion {
    Eigen::MatrixXd v, l;
  };

  /// M and G of the component. Throws std::invalid_argument where M is singular. Cost: a factorisation of M; with up
  /// to 100 bilateral rows p solves, and an orthogonal decomposition of a dense p×p matrix; with more, a factorisation
  /// of M and G.
  void factorise(SparseMatrix M, SparseMatrix G);

  /// v (n×k) and l (p×k) for loads F (n×k) and b (p×k).
  [[nodiscard]] Motion solve(const Eigen::Ref<const Eigen::MatrixXd>& F,
                             const Eigen::Ref<const Eigen::MatrixXd>& b) const;

  /// Fills W = Hᵀ K H, K the answer to a load with b = 0. Cost: a solve for each column of H, 64 at a time.
  void respond();

  [[nodiscard]] const MassFactor& mass() const noexcept { return mass_; }
  /// A body: M small, dense and symmetric positive definite, nothing held.
  [[nodiscard]] bool is_body() const noexcept { return mass_.dense_definite() && bilateral.empty(); }

 private:
  MassFactor mass_;
  SparseMatrix G_;
  Eigen::MatrixXd Y_;          // M⁻¹ G
  Eigen::VectorXd row_scale_;  // 1/√S_ii
  LeastNorm schur_;
  std::unique_ptr<SaddleFactor> saddle_;  // where there are many rows
};

}  // namespace locdyn::detail
