#pragma once
// The Coulomb cone K = {R : ‖R_t‖ ≤ μ R_n} in the frame (t1, t2, n), n at index 2, and its dual
// K* = {U : U_n ≥ μ ‖U_t‖}.

#include <Eigen/Core>
#include <algorithm>

namespace locdyn {

/// P_K(z): the nearest point of K to z in the Euclidean norm, closed form. μ ≥ 0; μ = 0 is the half-line R_t = 0,
/// R_n ≥ 0. Source: Alart & Curnier, CMAME 92 (1991) 353–375; Boyd & Vandenberghe, exercise 8.3 (c).
[[nodiscard]] inline Eigen::Vector3d project_on_cone(const Eigen::Vector3d& z, double friction) noexcept {
  const double tangent = z.head<2>().norm();
  if (tangent <= friction * z[2] && z[2] >= 0) return z;  // the sign decides where μ = 0 and z_t = 0
  const double along = friction * tangent + z[2];         // along the generator (μ t̂, 1), times 1 + μ²
  if (along <= 0) return Eigen::Vector3d::Zero();
  const double normal = along / (1 + friction * friction);
  const double scale = friction * normal / tangent;
  return {scale * z[0], scale * z[1], normal};
}

/// P_K*(z) = z + P_K(−z), by Moreau's decomposition.
[[nodiscard]] inline Eigen::Vector3d project_on_dual_cone(const Eigen::Vector3d& z, double friction) noexcept {
  return z + project_on_cone(-z, friction);
}

/// How far R lies outside K [N]: max(0, ‖R_t‖ − μ R_n, −R_n), the last for μ = 0.
[[nodiscard]] inline double cone_violation(const Eigen::Vector3d& R, double friction) noexcept {
  const double violation = std::max(R.head<2>().norm() - friction * R[2], -R[2]);
  return violation > 0 ? violation : 0;
}

/// De Saxcé's change of variable Û = U + μ ‖U_t‖ n. Source: De Saxcé & Feng (1998), eq. 3.11.
[[nodiscard]] inline Eigen::Vector3d de_saxce_shift(const Eigen::Vector3d& U, double friction) noexcept {
  return {U[0], U[1], U[2] + friction * U.head<2>().norm()};
}

}  // namespace locdyn
