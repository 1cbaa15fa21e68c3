#pragma once
// What Newton is expected to cost, in sweeps: by that the turns of a time step are shared out.

#include <memory>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/newton/newton_system.hpp>

namespace locdyn::detail {

/// Nothing is counted before it is asked for.
class NewtonPrice {
 public:
  /// The graph outlives it and does not change. Have sweeps towards this tolerance momentum?
  NewtonPrice(const LocalDynamics& ldy, double tolerance, bool momentum)
      : ldy_(ldy), tolerance_(tolerance), momentum_(momentum) {}

  /// The system of its steps.
  [[nodiscard]] NewtonSystem& system();
  /// Of one step.
  [[nodiscard]] long step();
  /// Of a solve.
  [[nodiscard]] double solve();
  /// Of one of no more steps than is usual, in the units of `SolveCost::work`.
  [[nodiscard]] double work();
  /// A solve costs so many sweeps at least, from counts of rows alone.
  [[nodiscard]] double least_solve() const;

  /// Is a step dearer than a round of patches?
  [[nodiscard]] bool is_dear();
  /// With momentum, before what is dear, sweeps go on for their share, whatever they promise.
  [[nodiscard]] bool sweeps_go_on() { return momentum_ && is_dear(); }
  /// For as long as Newton's many steps would take, and so they may be in a cycle.
  [[nodiscard]] bool sweeps_go_on_for_long();

 private:
  const LocalDynamics& ldy_;
  double tolerance_;
  bool momentum_;
  std::unique_ptr<NewtonSystem> system_;
  long step_ = 0;
};

}  // namespace locdyn::detail
