#pragma once
// U = B + W R of all rows by the cheaper way: the blocks of W where the graph has them, else through the velocities
// that the reactions give the groups, v = Σ Y R, U = B + Σ H v, which costs O(1) a row whatever its neighbours.

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Leaves U = B + W R in the graph. Cost: `velocity_products`. The same bits on any number of threads.
void update_velocities(LocalDynamics& ldy, int threads = 1);

/// What `update_velocities` costs, as 3×3 block times vector products. Cost: where there are no blocks, one pass over
/// the couplings.
[[nodiscard]] double velocity_products(const LocalDynamics& ldy);

}  // namespace locdyn::detail
