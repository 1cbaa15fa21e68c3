#pragma once
// W = F Fᵀ found from its blocks, where nobody tells what the rows act on: problem files, graphs made by hand. W of
// contacts between rigid bodies has the rank of the bodies' velocities, in a wall a sixth of its rows, and F is about
// as sparse as their H, so that what works in the space of velocities works there, too.
//
// Where the blocks tell which rows act on which bodies F is that of the bodies (recovered_bodies.hpp), else what
// elimination leaves (eliminated_blocks.hpp).

#include <cstdint>
#include <optional>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// F by row and group of directions, as a `DelassusFactor` with A = I and h = 1.
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
/// there is none such: W not symmetric, not positive semidefinite, or its F not sparse. Cost: in walls and
/// piles of rocks of 2400 to 2800 contacts 12 to 20 ms, as much as 20 sweeps; where F is not sparse it is given up on
/// the way.
/// Velocities through F are as near to W R as that, not to rounding: whoever judges a solution has the blocks.
[[nodiscard]] std::optional<RecoveredFactor> recover_factor(const LocalDynamics& ldy, double most_numbers);

}  // namespace locdyn::detail
