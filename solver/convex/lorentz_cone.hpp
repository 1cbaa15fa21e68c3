#pragma once
// The algebra of the Lorentz cone L = {x : ‖x_t‖ ≤ x_n} in a contact's frame (t1, t2, n), n at index 2, for interior
// point methods. With x_t2 = 0 it is the cone of a planar contact, with x_t = 0 a half-line: the formulas stay in those
// subspaces.
//
//   x ∘ y = (x_n y_t + y_n x_t, xᵀy),   e = (0, 0, 1),   det x = x_n² − ‖x_t‖²,   eigenvalues x_n ± ‖x_t‖
//
// Source: Nesterov & Todd, SIAM J. Optim. 8 (1998) 324–364; Alizadeh & Goldfarb, Math. Program. 95 (2003) 3–51 §4;
// Vandenberghe, The CVXOPT linear and quadratic cone program solvers (2010) §4 (the scaling of second-order cones).

#include <Eigen/Core>

namespace locdyn::detail {

/// det x, the product of its eigenvalues.
[[nodiscard]] double lorentz_determinant(const Eigen::Vector3d& x) noexcept;

/// x ∘ y.
[[nodiscard]] Eigen::Vector3d jordan_product(const Eigen::Vector3d& x, const Eigen::Vector3d& y) noexcept;

/// The y of x ∘ y = b; det x ≠ 0 and x_n ≠ 0.
[[nodiscard]] Eigen::Vector3d jordan_quotient(const Eigen::Vector3d& b, const Eigen::Vector3d& x) noexcept;

/// The largest t with x + t d in L, for x inside L; infinite where there is none.
[[nodiscard]] double step_to_boundary(const Eigen::Vector3d& x, const Eigen::Vector3d& d) noexcept;

/// The scaling of a pair x, z inside L: P symmetric with P z = P⁻¹ x and P L = L,
///
///   P = V diag(η (w_n + ‖w_t‖), η/(w_n + ‖w_t‖), η) Vᵀ,   V = (c₊, c₋, c_⊥) orthonormal,
///
/// c± = (±w_t/‖w_t‖, 1)/√2 the directions of the eigenvalues of w, and c_⊥ normal to both.
class NesterovTodd {
 public:
  NesterovTodd() = default;
  /// x and z are inside L, so that their determinants are > 0 in the arithmetic used.
  NesterovTodd(const Eigen::Vector3d& x, const Eigen::Vector3d& z) noexcept;

  [[nodiscard]] Eigen::Vector3d apply(const Eigen::Vector3d& v) const noexcept {
    return V_ * eigenvalues_.cwiseProduct(V_.transpose() * v);
  }
  [[nodiscard]] Eigen::Vector3d apply_inverse(const Eigen::Vector3d& v) const noexcept {
    return V_ * (V_.transpose() * v).cwiseQuotient(eigenvalues_);
  }
  /// V, its columns (c₊, c₋, c_⊥): c_⊥ = (0, ±1, 0) where both x_t2 and z_t2 are 0.
  [[nodiscard]] const Eigen::Matrix3d& axes() const noexcept { return V_; }
  /// Those of P, in the order of the axes.
  [[nodiscard]] const Eigen::Vector3d& eigenvalues() const noexcept { return eigenvalues_; }

 private:
  Eigen::Matrix3d V_ = Eigen::Matrix3d::Identity();
  Eigen::Vector3d eigenvalues_ = Eigen::Vector3d::Ones();
};

}  // namespace locdyn::detail
