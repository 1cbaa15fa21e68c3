#pragma once
// What two surfaces in contact have in common: Coulomb friction μ, Newton's restitution e, and what else resists.

#include <optional>

namespace locdyn {

inline constexpr double kLargestFriction = 1e6;  ///< as of the contact law: beyond, μ ‖U_t‖ drowns U_n

struct SurfaceMaterial {
  double friction = 0;     ///< 0 ≤ μ ≤ kLargestFriction, dimensionless
  double restitution = 0;  ///< 0 ≤ e ≤ 1: normal velocity after over before
  double rolling = 0;      ///< μ_r ≥ 0 [m]: the moment of rolling friction is at most μ_r R_n
  double torsional = 0;    ///< μ_τ ≥ 0 [m]: the moment about n is at most μ_τ R_n
  /// μ along t2 where it differs from `friction`, which is then that along t1 (elliptic friction); the frame of the
  /// contact says where t1 points. Not beside rolling or torsional friction.
  std::optional<double> cross_friction = std::nullopt;

  /// Does a contact have moments?
  [[nodiscard]] bool rolls() const noexcept { return rolling > 0 || torsional > 0; }
};

/// Throws std::invalid_argument naming the field.
void validate(const SurfaceMaterial& material);

}  // namespace locdyn
