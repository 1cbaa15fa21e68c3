#pragma once
// The Saint Venant–Kirchhoff material: ψ(F) = ½ λ (tr E)² + G tr(E²), E = ½ (FᵀF − I), with P = ∂ψ/∂F = F S,
// S = λ tr(E) I + 2 G E. It is stiff in tension and weak in strong compression, where ψ has no lower barrier.
//
// Source: Koziara & Bićanić, IJNME 87 (2011) 437–456, §2 (pseudo-rigid bodies).

#include <Eigen/Core>

namespace locdyn {

struct ElasticMaterial {
  double E = 0;   ///< Young's modulus [Pa] > 0
  double nu = 0;  ///< Poisson's ratio, −1 < ν < ½
};

/// Throws std::invalid_argument where E is not positive or ν lies outside (−1, ½).
void validate(const ElasticMaterial& material);

/// ψ(F) [J/m³] at the deformation gradient F (3×3).
[[nodiscard]] double strain_energy_density(const ElasticMaterial& material, const Eigen::Matrix3d& F);

/// P(F) = ∂ψ/∂F (3×3) [Pa], the first Piola–Kirchhoff stress.
[[nodiscard]] Eigen::Matrix3d stress(const ElasticMaterial& material, const Eigen::Matrix3d& F);

/// dP (3×3) for a change dF of F: the second derivative of ψ, a symmetric form.
[[nodiscard]] Eigen::Matrix3d stress_change(const ElasticMaterial& material, const Eigen::Matrix3d& F,
                                            const Eigen::Matrix3d& dF);

}  // namespace locdyn
