#pragma once
// A graph solved island by island: each is judged by its own ‖b‖, those that their warm start solves already cost one
// residual, the others are solved apart and in parallel. No reaction in one island changes a velocity in another.

#include <vector>

#include <locdyn/ldy/islands.hpp>
#include <locdyn/solver/registry.hpp>

namespace locdyn {

/// Of the islands whose warm start was not enough, and the cost of the residuals of all.
struct IslandsReport : SideBySide {
  double residual = 0;        ///< the largest `measure` of all islands
  ConstraintId worst{kNone};  ///< the constraint that contributes most to it
  std::size_t cut_short = 0;  ///< of those not converged, the islands that the budget of sweeps ended
  std::size_t not_least = 0;  ///< of those that were to have the reactions of least norm, how many have others
};

/// What a time step may ask for beside a tolerance relative to ‖b‖.
struct StepLimits {
  double velocity = 0;  ///< an island is solved, too, where ‖D⁻¹(R − P_K(R − D Û))‖ ≤ this [m/s]: finite, ≥ 0
  /// At most so many Gauss–Seidel sweeps of each island a step, with nothing beside them, ≥ 0; 0: as many as it takes.
  long sweeps = 0;
  /// Of all reactions with the velocities found, those of least norm (solver/convex/minimum_norm.hpp), in every island
  /// that is solved: where contacts last, so do their forces. Islands with other laws than contacts with Coulomb
  /// friction and bilateral ones keep those found first.
  bool least_norm = false;
};

/// Solves each island of `ldy` to `stop` with `solver`; R on entry is the warm start, on exit the best found, and U is
/// up to date. An island whose warm start meets the tolerance costs its residual; one that misses it begins from a little
/// less than its warm start, by half its residual as a share, so that what lies in the null space of W fades over the
/// steps: the pressure between rigid faces does not wander. One at rest that misses it by a
/// factor of at most 100 is brought further, towards a thousandth of it, by at most 30 Newton steps (20 sweeps with a
/// solver other than `auto`): what a resting scene keeps of error would add up over the steps. `accepted_residual`
/// carries from step to step the residual below which a warm start is taken as it is (infinite at first): the
/// tolerance, less right after an island was brought down, since its R then holds the impulse that has stopped it.
/// `stop.max_iterations` holds for each island, `stop.max_seconds` is not used; `limits.sweeps` takes the solver's
/// place; `choices` go to the solver, and `together` among what they leave out leaves out the sweeps that small islands
/// begin with (`sweep_together`). Islands of up to 1000 constraints are solved beside each other on `stop.threads`
/// threads, larger ones one after the other, each on all of them: the bits do not depend on it. Throws what the solver
/// throws, and std::invalid_argument for limits out of range. Cost: one residual, and for islands that must be solved
/// beside others a copy of their blocks.
[[nodiscard]] IslandsReport solve_islands(LocalDynamics& ldy, const Islands& islands, const SolverEntry& solver,
                                          const StopOptions& stop, double& accepted_residual,
                                          const StepLimits& limits = {}, const SolverChoices& choices = {});

}  // namespace locdyn
