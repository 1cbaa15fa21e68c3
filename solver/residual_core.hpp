#pragma once
// Where a residual sits: often few constraints hold nearly all of it.

#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// The fewest constraints that hold the share `cover` (0 < cover ≤ 1) of the squared residual, the largest first. Reads
/// U = B + W R and R as a residual left them; asks for no blocks. The same on any number of threads. Cost: one pass
/// over the rows.
[[nodiscard]] std::vector<ConstraintId> residual_core(const LocalDynamics& ldy, double cover, int threads = 1);

}  // namespace locdyn::detail
