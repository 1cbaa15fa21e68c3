#pragma once
// Penetration taken back by displacements of bodies along the normals alone, without friction: of the contacts of one
// island, with d the displacements of its bodies,
//
//   0 ≤ R_n ⟂ σ + H_n d ≥ 0,   d = Σ Y_n R_n,   Y_n = h A⁻¹ H_nᵀ,
//
// by projected Gauss–Seidel in d: R_n ← max(0, R_n − (σ + H_n d) / W_nn). H_n and Y_n are the normal rows that the
// assembly holds, copied one behind the other; a visit costs 24 products. Source: Cottle, Pang & Stone, The Linear
// Complementarity Problem (1992) §5.2; on displacements: Jourdan, Alart & Jean, CMAME 155 (1998) 31–47.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/ldy/arena.hpp>
#include <locdyn/ldy/assembly/kinematics.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// The displacement of each body, as its velocity in the kinematics, and zeros behind it up to a whole vector register.
class Displacements {
 public:
  static constexpr std::uint32_t kRegister = 4;  ///< numbers

  /// Of all bodies, zero.
  explicit Displacements(const Kinematics& kinematics);
  /// (n of the body).
  [[nodiscard]] std::span<double> of(Index body) noexcept { return {&numbers_[first_[body]], freedoms_[body]}; }
  [[nodiscard]] std::span<const double> of(Index body) const noexcept {
    return {&numbers_[first_[body]], freedoms_[body]};
  }

 private:
  std::vector<std::uint32_t> first_, freedoms_;  // by body
  Arena<double> numbers_;
};

struct GapProjectionOptions {
  long sweeps = 50;         ///< at most, ≥ 1
  double tolerance = 1e-3;  ///< of a sweep's change of U_n over ‖σ‖: one that changes less is the last
  /// Of the residual over ‖σ‖ [-]: more leaves the bodies where they are. What lies between floor and ceiling has more
  /// than 1; a tall tower is lifted a little in each step.
  double accepted = 0.95;
  int threads = 1;  ///< ≥ 1, for islands of many contacts; the bits do not depend on it
};

/// Adds the displacements that take σ of each contact of `ids`, one island, back: σ < 0 is a depth [m], σ > 0 what a
/// contact may close. True where the residual was accepted; else nothing is changed. `displacement` is zero on entry
/// for the bodies of the island. Cost: one visit of each contact a sweep.
bool project_gaps(const LocalDynamics& graph, const Kinematics& kinematics, std::span<const ConstraintId> ids,
                  std::span<const double> sigma, const GapProjectionOptions& options, Displacements& displacement);

}  // namespace locdyn::detail
