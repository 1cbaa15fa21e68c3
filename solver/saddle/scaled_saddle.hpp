#pragma once
// The saddle point in units of its own. With A = L Lᵀ by groups, z = Lᵀ a of coordinates with mass, and each row
// divided by √(g A⁻¹ gᵀ + C), its unit response,
//
//   z − Ĝᵀ λ̂ = f̂,   −Ŝᵀ λ̂ = ê,   Ĝ z + Ŝ s = γ̂
//
// where s are the coordinates without mass, each scaled so that its column of Ŝ has norm 1, and a compliant row has one
// coordinate with mass more, w = √C λ, which makes it a hard one: [g √C]. Rank and thresholds then depend on no unit of
// mass, length or angle.

#include <locdyn/solver/saddle/saddle_problem.hpp>

namespace locdyn::detail {

class ScaledSaddle {
 public:
  /// Throws std::invalid_argument naming what is at fault: sizes that do not fit, numbers that are not finite, C < 0,
  /// an A that is not symmetric, or a group of it that is neither positive definite nor zero. Cost: a dense Cholesky
  /// factor for each connected block of A, and one sparse product.
  void scale(const SaddleProblem& problem);

  [[nodiscard]] const SparseMatrix& G() const noexcept { return G_; }  ///< Ĝ (m×p)
  [[nodiscard]] const SparseMatrix& S() const noexcept { return S_; }  ///< Ŝ (m×q)
  [[nodiscard]] SparseMatrix all_columns() const;                      ///< [Ĝ Ŝ] (m×(p+q))
  [[nodiscard]] Eigen::Index rows() const noexcept { return G_.rows(); }
  [[nodiscard]] Eigen::Index with_mass() const noexcept { return G_.cols(); }     ///< p
  [[nodiscard]] Eigen::Index without_mass() const noexcept { return S_.cols(); }  ///< q
  /// Of each coordinate with mass: its group; −1 for that of a compliant row.
  [[nodiscard]] const std::vector<int>& group() const noexcept { return group_; }
  /// The coordinates without mass, ascending.
  [[nodiscard]] const std::vector<int>& massless() const noexcept { return massless_; }

  /// λ = D λ̂, and γ̂ = D γ (m).
  [[nodiscard]] const Eigen::VectorXd& row_scale() const noexcept { return row_scale_; }
  /// f̂ (p) and ê (q) of a force f (n).
  [[nodiscard]] Eigen::VectorXd force_with_mass(const Eigen::VectorXd& f) const;
  [[nodiscard]] Eigen::VectorXd force_without_mass(const Eigen::VectorXd& f) const;
  /// Writes the entries of f (n) whose ê (q) that is.
  void replace_force_without_mass(const Eigen::VectorXd& e, Eigen::VectorXd& f) const;
  /// a (n) of z (p) and s (q).
  [[nodiscard]] Eigen::VectorXd coordinates(const Eigen::VectorXd& z, const Eigen::VectorXd& s) const;

 private:
  void factor_groups(const SaddleProblem& problem);
  void scale_rows(const SaddleProblem& problem);

  SparseMatrix G_, S_;
  SparseMatrix inverse_;  // L⁻ᵀ (n × coordinates with mass)
  std::vector<int> group_, massless_;
  Eigen::VectorXd row_scale_, massless_scale_;
};

}  // namespace locdyn::detail
