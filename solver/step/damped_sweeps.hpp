#pragma once
// Sweeps that go part of their way, where whole ones run round a solution: each contact is solved as if the others
// stood still, and where hundreds of them are pressed at once with next to nothing given (balls that touch and come
// down together) what friction makes of that comes back, and whole steps overshoot. They stand at 1e-3 to 1e-2 for
// thousands of sweeps, with momentum or without, in one order or another each time. The impact of 140 balls, 637
// contacts, comes to 1e-3 in 199 damped sweeps with momentum; 3000 whole ones end at 3e-3, and Newton took 0.3 to 1 s.

#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/stage_sequence.hpp>

namespace locdyn::detail {

/// Scaled residual beyond which they are worth it. Twenty-five scenes, balls that touch aside, take what they take
/// without; however near, a silo takes 1.10 and 1.25 times as long at 1e-4 and 1e-5, capsules 1.14 times.
inline constexpr double kFarWhereDamped = 1e-3;
/// Tolerance down to which they are worth it. Twenty-seven pyramids and lattices of balls, each step from the same
/// state, take 0.58 of the time at 1e-6 (one 1.05, no other more than 1.03), 24 other scenes 1.00; eleven of them 0.53
/// at 1e-7 (0.97 without one that takes 0.004), and 1.72 at 1e-8.
inline constexpr double kDampedFrom = 1e-7;

/// At most `most` of them from R = 0, as long as the residual goes on halving; none where the sequence has ended or is
/// nearer than that. R is the better of what it was and what they have found. `sweeps` are of `ldy`, with momentum.
void take_damped_sweeps(LocalDynamics& ldy, GaussSeidel& sweeps, long most, StageSequence& sequence);

}  // namespace locdyn::detail
