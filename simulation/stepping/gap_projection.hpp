#pragma once
// Penetration taken back by displacements of bodies along the normals alone, without friction: of the contacts of one
// island, with d the displacements of its bodies,
//
//   0 ≤ R_n ⟂ σ + H_n d ≥ 0,   d = Σ Y_n R_n,   Y_n = h A⁻¹ H_nᵀ,
//
// by `NormalSweep` in d.

#include <span>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/nsgs/normal_sweep.hpp>

namespace locdyn::detail {

struct GapProjectionOptions {
  long sweeps = 50;         ///< at most, ≥ 1
  double tolerance = 1e-3;  ///< of a sweep's change of U_n over ‖σ‖: one that changes less is the last
  /// Of the residual over ‖σ‖ [-]: more leaves the bodies where they are. What lies between floor and ceiling has more
  /// than 1; a tall tower is lifted a little in each step.
  double accepted = 0.95;
  int threads = 1;  ///< ≥ 1, for islands of many contacts; the bits do not depend on it
};

/// Adds the displacements that take σ of each contact of `ids`, one island, back: σ < 0 is a depth [m], σ > 0 what a
/// contact may close, by id. True where the residual was accepted; else nothing is changed. `factor` is that of the
/// graph's rows; `displacement` is zero on entry for the bodies of the island. Cost: one visit of each contact a sweep.
bool project_gaps(const LocalDynamics& graph, const DelassusFactor& factor, std::span<const ConstraintId> ids,
                  std::span<const double> sigma, const GapProjectionOptions& options, PaddedVelocities& displacement);

}  // namespace locdyn::detail
