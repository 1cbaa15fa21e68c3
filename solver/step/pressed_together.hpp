#pragma once
// Problems that no reactions solve: a lid that comes down on a column of balls, a gripper that closes on what gives no
// way. The velocities that contacts ask for, U_n + σ_n ≥ 0 of each, cannot all be had. By Farkas' lemma there are then
// normal reactions r ≥ 0 that move no body, W_·n r = 0, and on which b_n does work: r·b_n < 0, b_n = B_n + σ_n. For any
// R that solved the problem
//
//   0 ≤ r·(U_n + σ_n) = r·b_n + (W_·n r)·R,   so that   Σ ‖W_αn r‖ ‖R_α‖ ≥ −r·b_n:
//
// where W_·n r is not quite zero r says how large R would have to be. r is what a sweep over normals alone
// (`NormalSweep`) changes R by once it has settled: where there is no solution R runs away along it.
//
// Source: Farkas, J. reine angew. Math. 124 (1902) 1–27; steps of an iteration as certificates: Banjac, Goulart,
// Stellato & Boyd, J. Optim. Theory Appl. 183 (2019) 490–519.

#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

/// What a search for such an r has found, and what it took.
struct PressingSearch : SolveCost {
  /// Any solution has reactions so many times what ‖b‖∞ asks of a contact alone; 0 where no r says anything, or none
  /// was found within the limits.
  double reach = 0;
  double seconds = 0;

  /// There is no solution in double precision.
  [[nodiscard]] bool pressed() const noexcept { return reach >= 1e11; }
  /// What would solve it is far from what contacts bear elsewhere: forty moving scenes reach 20 at most, sheets of 8 mm
  /// 96, a stack of masses 1 : 100 in turns 220; boxes that lean a little between the jaws of a gripper that goes on
  /// closing reach 2400 and more. Friction may hold what the normals alone let go.
  [[nodiscard]] bool nearly() const noexcept { return reach >= 1e3; }
};

/// The graph knows its factor and is not changed. Of `stop` counts what limits time and work, and the threads. Cost:
/// 750 to 3750 visits of each contact, a third of those of a sweep.
[[nodiscard]] PressingSearch search_pressing(const LocalDynamics& ldy, const StopOptions& stop);

}  // namespace locdyn::detail
