#pragma once
// The contact problem by its central path (`central_path`), from far off to where Newton's method finishes it. Nothing
// is held still and nothing has to contract, so it arrives where sweeps walk about, where Newton is caught and where
// the slip does not settle; it does not use the warm start, and takes some hundreds of factorisations: in the space of
// velocities where the graph knows its factor, else of all rows. Regions of a pile that hardly feel each other fold each
// by itself, and the one σ takes all of them back and forth through the folds of one: piles of 2400 contacts end, one of
// 9000 was followed no further than √σ = 0.2.
//
// Source: the path of interior points for a monotone problem is Kojima, Megiddo, Noma & Yoshise (1991); for friction,
// with the shift s in it, it is only locally unique and has folds.

#include <memory>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

struct CentralPathOptions {
  StopOptions stop;        ///< iterations are factorisations
  long patience = 10'000;  ///< factorisations in which the residual along the path must halve, else stalled, ≥ 1
};

/// Solves to the tolerance graphs that `suits_convex`. The best iterate judged, R on entry among them, is left in the
/// graph. Throws std::invalid_argument as `check_options` and `check_problem` do, and where a law is of another kind.
/// Cost: 20 to some 1000 sparse LU, each some four Newton steps in the space of velocities, or of all rows.
[[nodiscard]] SolveReport solve_path(LocalDynamics& ldy, const CentralPathOptions& options);

/// The same in turns, each from where the last one left the path, whatever others did to R in between.
class PathFollower {
 public:
  /// `ldy` outlives it and keeps its W, B and laws.
  explicit PathFollower(LocalDynamics& ldy);
  ~PathFollower();
  PathFollower(const PathFollower&) = delete;
  PathFollower& operator=(const PathFollower&) = delete;

  [[nodiscard]] SolveReport solve(const CentralPathOptions& options);
  /// The path could not be followed any further.
  [[nodiscard]] bool stuck() const noexcept;

 private:
  struct State;
  LocalDynamics& ldy_;
  std::unique_ptr<State> state_;  // from the first turn on
};

}  // namespace locdyn::detail
