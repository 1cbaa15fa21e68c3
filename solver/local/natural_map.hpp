#pragma once
// The judge of one contact: ‖D⁻¹(R − P_K(R − D Û))‖ with D = ρ I, ρ = 3 / tr W, as ldy/residual takes it for a row.

#include <Eigen/Core>
#include <cmath>
#include <locdyn/contact/coulomb_cone.hpp>

namespace locdyn::detail {

/// ‖R − P_K(R − ρ Û)‖ / ρ, a velocity, with Û = W R + b + μ ‖(W R + b)_t‖ n. W (3×3), b and R (3) in (t1, t2, n);
/// μ ≥ 0; ρ > 0 [force/velocity]. Cost: about six block products. Source: Acary, Brémond & Huber (2018) §3.
[[nodiscard]] inline double natural_map(const Eigen::Matrix3d& W, double friction, double rho, const Eigen::Vector3d& b,
                                        const Eigen::Vector3d& R) noexcept {
  const Eigen::Vector3d U_hat = de_saxce_shift(b + W * R, friction);
  return (R - project_on_cone(R - rho * U_hat, friction)).norm() / rho;
}

/// What rounding leaves of the natural map at a solution: 1e-12 ‖b‖ + 8 ε ‖W‖ ‖R‖, with the largest norm of a column of
/// W, which is at most ‖W‖₂, for ‖W‖.
[[nodiscard]] inline double natural_map_bound(const Eigen::Matrix3d& W, const Eigen::Vector3d& b,
                                              const Eigen::Vector3d& R) noexcept {
  constexpr double kFloor = 8 * 2.220446049250313e-16;
  return 1e-12 * b.norm() + kFloor * std::sqrt(W.colwise().squaredNorm().maxCoeff() * R.squaredNorm());
}

}  // namespace locdyn::detail
