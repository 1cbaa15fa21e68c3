#pragma once
// Problems that no reactions solve: a lid that comes down on a column of balls, a gripper that closes on what gives no
// way. The velocities that contacts ask for, U_n + σ_n ≥ 0 of each, cannot all be had. By Farkas' lemma there are then
// normal reactions r ≥ 0 that move no body, W_·n r = 0, and on which b_n does work: r·b_n < 0, b_n = B_n + σ_n. For any
// R that solved the problem, with what the contacts give way in W,
//
//   0 ≤ r·(U_n + σ_n) = r·b_n + r·(W R)_n,   so that   −r·b_n ≤ √(r·W r) √(R·W R):
//
// where W_·n r is not quite zero r says with what energy, ½ h R·W R, it would drive the bodies apart. r is what a sweep
// over normals alone (`NormalSweep`) changes R by once it has settled: where there is no solution R runs away along it.
//
// Source: Farkas, J. reine angew. Math. 124 (1902) 1–27; steps of an iteration as certificates: Banjac, Goulart,
// Stellato & Boyd, J. Optim. Theory Appl. 183 (2019) 490–519.

#include <limits>

#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

/// Of a body, or a group of bodies, along the normal of a contact over the step, 1 / W_nn of its own [kg/s]: of all
/// contacts.
struct MassRange {
  double least = std::numeric_limits<double>::infinity(), largest = 0;  ///< as here where there is no contact
};
/// The graph knows its factor, which has responses.
[[nodiscard]] MassRange masses_at_contacts(const LocalDynamics& ldy);

/// What a search for such an r has found, and what it took.
struct PressingSearch : SolveCost {
  /// Any solution drives the bodies apart with so many times the energy, under the root, that stops each of r's
  /// contacts alone were its bodies as heavy as any: about so many times as fast as they close. 0 where no r says
  /// anything, or none was found within the limits.
  double reach = 0;
  double seconds = 0;

  /// There is no solution, or none that anybody wants.
  [[nodiscard]] bool pressed() const noexcept { return reach >= 1e4; }
  /// What would solve it is far from what bodies do elsewhere: seventy moving scenes, and heaps and stacks of two
  /// densities (1 : 100 to 1 : 1e6), reach 9 at most, what a gripper or a ram jams 60 and more. Friction may hold what
  /// the normals alone let go.
  [[nodiscard]] bool nearly() const noexcept { return reach >= 25; }
};

/// The graph knows its factor, which has responses, and is not changed. Of `stop` counts what limits time and work, and
/// the threads. Cost: 250 to 3750 visits of each contact, each a third of one in a sweep.
[[nodiscard]] PressingSearch search_pressing(const LocalDynamics& ldy, const StopOptions& stop);

}  // namespace locdyn::detail
