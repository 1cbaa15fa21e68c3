#pragma once
// W = F Fᵀ found from its blocks, where nobody tells what the rows act on: problem files, graphs made by hand. W of
// contacts between rigid bodies has the rank of the bodies' velocities, in a wall a sixth of its rows, and F is about
// as sparse as their H, so that what works in the space of velocities works there, too.
//
// F is that of the bodies that the blocks tell (recovered_bodies.hpp), turned so that they are rigid bodies for all
// that works in the space of velocities (rigid_columns.hpp), and what elimination leaves of the rest
// (eliminated_blocks.hpp).

#include <cstdint>
#include <optional>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// F by row and group of directions, as a `DelassusFactor` with h = 1 and A = I, or m I for the last three of a rigid
/// body.
struct RecoveredFactor {
  std::vector<std::uint32_t> first;  ///< by place in the arena, one more at the end
  std::vector<Coupling> coupling;
  std::vector<double> H, Y, inertia;
  std::vector<std::uint64_t> first_inertia;

  /// Valid as long as this, and as long as the graph is what it was.
  [[nodiscard]] DelassusFactor view() const {
    return {.first = first,
            .coupling = coupling,
            .H = H,
            .Y = Y,
            .inertia = inertia,
            .first_inertia = first_inertia,
            .level = {},
            .h = 1,
            .part = nullptr};
  }
};

/// F with at most so large a share of the numbers that W has, so that |W − F Fᵀ| ≤ 1e-6 √(W_αα W_ββ). Nothing where
/// there is none such: W not symmetric, not positive semidefinite, or its F not sparse. Cost: as much as 200 to 400
/// sweeps, 4 ms for a tower of 480 contacts, 35 for 2400 of rocks, 0.3 s for 14 000 of a loose pile.
/// Velocities through F are as near to W R as that, not to rounding: whoever judges a solution has the blocks.
[[nodiscard]] std::optional<RecoveredFactor> recover_factor(const LocalDynamics& ldy, double most_numbers);

}  // namespace locdyn::detail
