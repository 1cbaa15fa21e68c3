#pragma once
// Sweeps that go part of their way, where whole ones run round a solution: each contact is solved as if the others
// stood still, and where hundreds of them are pressed at once with next to nothing given (balls that touch and come
// down together) what friction makes of that comes back, and whole steps overshoot. They stand at 1e-3 to 1e-2 for
// thousands of sweeps, with momentum or without, in one order or another each time. The impact of 140 balls, 637
// contacts, comes to 1e-3 in 199 damped sweeps with momentum; 3000 whole ones end at 3e-3, and Newton took 0.3 to 1 s.

#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/stage_sequence.hpp>

namespace locdyn::detail {

/// At most `most` of them from R = 0, as long as the residual goes on halving. R is the better of what it was and what
/// they have found. `sweeps` are of `ldy`, with momentum.
void take_damped_sweeps(LocalDynamics& ldy, GaussSeidel& sweeps, long most, StageSequence& sequence);

}  // namespace locdyn::detail
