#pragma once
// Newton's turns by a weight that falls about R = 0 (newton/anchored_weight.hpp), for steps on which all else stands
// far from a solution: balls that touch and come down all at once, where the impact of 204 of them, 960 contacts,
// takes 1.7 s at 1e-3 in place of 350.

#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/stage_sequence.hpp>

namespace locdyn::detail {

/// Scaled residual beyond which they are worth it. With 0 thirteen scenes at 1e-8 take 1.01 times the time (a lattice
/// of balls 1.2, a wall hit by a ball 0.7); so all but that wall take the steps that they take without.
inline constexpr double kFarWhereAnchored = 1e-5;

/// One after the other from R = 0 until one converges, each with another augmentation; in the graph is the best R of
/// the last. Cost: some hundred factorisations each.
void take_anchored_turns(LocalDynamics& ldy, NewtonSystem& system, StageSequence& sequence);

}  // namespace locdyn::detail
