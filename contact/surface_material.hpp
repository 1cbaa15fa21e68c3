#pragma once
// What two surfaces in contact have in common: Coulomb friction μ, Newton's restitution e, and what else resists.

#include <Eigen/Core>
#include <limits>
#include <optional>

namespace locdyn {

inline constexpr double kLargestFriction = 1e6;  ///< as of the contact law: beyond, μ ‖U_t‖ drowns U_n
/// Of springs [N/m], [N/m^{3/2}] and dampers [N s/m] of a contact that gives way: beyond, nothing tells it from a hard
/// one.
inline constexpr double kLargestStiffness = 1e18;

struct SurfaceMaterial {
  double friction = 0;     ///< 0 ≤ μ ≤ kLargestFriction, dimensionless
  double restitution = 0;  ///< 0 ≤ e ≤ 1: normal velocity after over before
  double rolling = 0;      ///< μ_r ≥ 0 [m]: the moment of rolling friction is at most μ_r R_n
  double torsional = 0;    ///< μ_τ ≥ 0 [m]: the moment about n is at most μ_τ R_n
  /// μ along t2 where it differs from `friction`, which is then that along t1 (elliptic friction); the frame of the
  /// contact says where t1 points. Not beside rolling or torsional friction.
  std::optional<double> cross_friction = std::nullopt;
  /// k > 0 [N/m] of each point of contact: finite, it gives way along the normal as a spring with a damper beside it,
  /// which push and never pull (ldy/laws/compliant_law.hpp). Then e = 0, and neither moments nor `cross_friction`.
  double stiffness = std::numeric_limits<double>::infinity();
  /// K > 0 [N/m^{3/2}] of Hertz's spring, F = K d^{3/2}, in place of that one; beside it, the two lie one behind the
  /// other (ldy/laws/hertz_spring.hpp). Two elastic spheres have K = 4/3 E* √R*.
  double hertz_stiffness = std::numeric_limits<double>::infinity();
  double damping = 0;  ///< c ≥ 0 [N s/m] of that damper; 0 where the contact is hard
  /// k_t > 0 [N/m] along the surface: finite, a contact that sticks gives way along t as a spring with a damper beside
  /// it, and slides where they would carry more than μ R_n. Beside a stiffness along the normal alone.
  double tangential_stiffness = std::numeric_limits<double>::infinity();
  double tangential_damping = 0;  ///< c_t ≥ 0 [N s/m] of that damper

  /// Does a contact have moments?
  [[nodiscard]] bool rolls() const noexcept { return rolling > 0 || torsional > 0; }
  /// Does it give way along the normal?
  [[nodiscard]] bool compliant() const noexcept {
    return stiffness < std::numeric_limits<double>::infinity() ||
           hertz_stiffness < std::numeric_limits<double>::infinity();
  }
  /// Does it give way along the surface?
  [[nodiscard]] bool gives_tangentially() const noexcept {
    return tangential_stiffness < std::numeric_limits<double>::infinity();
  }
};

/// Throws std::invalid_argument naming the field.
void validate(const SurfaceMaterial& material);

/// Is a reaction R (t1, t2, n) [N] on the edge of the cone of friction, to 1e-6 of μ R_n? It slides there alone.
[[nodiscard]] bool on_edge_of_cone(const SurfaceMaterial& material, const Eigen::Vector3d& R) noexcept;

}  // namespace locdyn
