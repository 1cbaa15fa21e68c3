#pragma once
// Behind all rounds of a step: sweeps that run around a solution come near it now and then, each time from elsewhere,
// and a few steps of Newton from where they are nearest end what no turn that begins at the best of all R does: that is
// where turns have stood before. Balls that touch and come down together, on which all rounds stand at 1 to 1.5 times
// the tolerance.

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/stage_sequence.hpp>

namespace locdyn::detail {

/// Whole sweeps without momentum from the R in the graph, with short turns of Newton on the way, until one
/// has ended the solve. R is the best of all; nothing is done where the sequence has ended. Cost: at most twice what
/// the sequence has spent, a seventh of it where sweeps come nowhere near.
void take_wandering_sweeps(LocalDynamics& ldy, StageSequence& sequence);

}  // namespace locdyn::detail
