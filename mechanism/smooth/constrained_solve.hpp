#pragma once
// The nearest answer in the metric of A that meets rows without redundancy among them:
//
//   [A −Gᵀ; G 0] [a; λ] = [f; γ]
//
// for one A and many G. Few coordinates, all with mass: A = L Lᵀ and a dense QR of L⁻¹ Gᵀ, some ten times faster than
// the sparse factor that the others take.

#include <Eigen/Core>
#include <Eigen/QR>

#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn::detail {

class ConstrainedSolve {
 public:
  /// A (n×n) symmetric, positive definite where G leaves freedom.
  explicit ConstrainedSolve(SparseMatrix A);

  /// G (k×n) of rank k. Throws std::invalid_argument as SaddleSystem does. Cost: 2 n k² − 2/3 k³ dense.
  void factorise(const SparseMatrix& G);
  struct Answer {
    Eigen::VectorXd a, lambda;  ///< (n), (k)
  };
  /// For f (n) and γ (k).
  [[nodiscard]] Answer solve(const Eigen::VectorXd& f, const Eigen::VectorXd& gamma) const;
  /// The same with f = 0: the smallest a that meets the rows.
  [[nodiscard]] Eigen::VectorXd smallest(const Eigen::VectorXd& gamma) const;

 private:
  SparseMatrix A_;
  SaddleSystem sparse_;
  bool dense_ = false;
  Eigen::MatrixXd L_;
  Eigen::HouseholderQR<Eigen::MatrixXd> qr_;
};

}  // namespace locdyn::detail
