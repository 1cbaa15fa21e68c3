#pragma once
// One problem solved island by island, in parallel: what is hard in one does not keep the others waiting, and direct
// solves factorise what needs them alone. The squared residual that the tolerance allows is shared out by the number of
// constraints, so that islands which meet their shares make a whole that meets the tolerance.

#include <functional>

#include <locdyn/ldy/islands.hpp>
#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

/// Solves every island of `ldy` by `solve`, R on entry being the warm start; the best of each is left in the graph. The
/// report is that of the whole: `converged` where all together meet `stop`, else the status and reason of the first
/// island that did not converge; iterations are the sum of all, and the limit holds for each. `stop.threads` islands
/// are solved at once, and the bits do not depend on it, nor on the order: with one thread small islands come first,
/// since a time limit may fall among them. Throws what `solve` throws, of several faults that of the first island.
/// Cost: a copy of the blocks, and two residuals.
[[nodiscard]] SolveReport solve_partitioned(
    LocalDynamics& ldy, const Islands& islands, const StopOptions& stop,
    const std::function<SolveReport(LocalDynamics&, const StopOptions&)>& solve);

}  // namespace locdyn::detail
