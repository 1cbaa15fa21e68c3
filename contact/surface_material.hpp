#pragma once
// What two surfaces in contact have in common: Coulomb friction μ and Newton's restitution e.

namespace locdyn {

inline constexpr double kLargestFriction = 1e6;  ///< as of the contact law: beyond, μ ‖U_t‖ drowns U_n

struct SurfaceMaterial {
  double friction = 0;     ///< 0 ≤ μ ≤ kLargestFriction, dimensionless
  double restitution = 0;  ///< 0 ≤ e ≤ 1: normal velocity after over before
};

/// Throws std::invalid_argument naming the field.
void validate(const SurfaceMaterial& material);

}  // namespace locdyn
