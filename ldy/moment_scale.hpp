#pragma once
// The length ℓ of rolling contacts read from matrices: ℓ² = (tr W_ff/d_f) / (tr W_mm/d_m) of each contact gives forces
// and moments the same scale (laws/rolling_law.hpp).

#include <span>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Takes a graph whose rolling contacts all have ℓ = 1 (W, B of moment rows in spins and N m) to lengths of their own:
/// W and B are scaled, R = 0 and the law given its ℓ and its coefficient of rolling friction [m], one of `rolling` a
/// constraint id. ℓ = 1 where one of the traces is not positive. Other laws stay as they are. Throws
/// std::invalid_argument where a coefficient makes no law. Cost: one pass over the blocks.
void scale_moments(LocalDynamics& ldy, std::span<const double> rolling);

/// ℓ by which a row of the graph is scaled; 1 for the rows of a force and of other laws.
[[nodiscard]] double row_length(const LocalDynamics& ldy, const DiagonalBlock& row);

}  // namespace locdyn::detail
