#pragma once
// What two surfaces in contact have in common: Coulomb friction μ and Newton's restitution e.

namespace locdyn {

struct SurfaceMaterial {
  double friction = 0;     ///< μ ≥ 0, dimensionless, finite
  double restitution = 0;  ///< 0 ≤ e ≤ 1: normal velocity after over before
};

/// Throws std::invalid_argument naming the field.
void validate(const SurfaceMaterial& material);

}  // namespace locdyn
