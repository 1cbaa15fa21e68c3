#pragma once
// Short turns of Newton within sweeps that go on: near a solution a few steps often end what takes sweeps thousands.

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/solve_options.hpp>
#include <locdyn/solver/solve_report.hpp>
#include <locdyn/solver/stage_sequence.hpp>
#include <locdyn/solver/step/iterate.hpp>

namespace locdyn::detail {

/// A turn that does not end the solve leaves R and U as they were: the sweeps keep their momentum and go on as if there
/// had been none.
class ShortTurns {
 public:
  explicit ShortTurns(LocalDynamics& ldy) : ldy_(ldy) {}

  /// After `swept` sweeps that have come to so many times the tolerance: are they near enough, and is it not too soon?
  [[nodiscard]] bool may_be_due(double residual_over_tolerance, long swept) const noexcept;
  /// Is one worth it in place of so many sweeps?
  [[nodiscard]] static bool pays(double sweeps, long sweeps_per_newton_step) noexcept;

  /// Takes one after these sweeps, of whose limits `left` was left before them. True where it ended the solve. Cost: up
  /// to six steps of Newton.
  [[nodiscard]] bool take(NewtonSystem& system, const StopOptions& left, const SolveReport& swept);
  /// What those so far cost that ended nothing.
  [[nodiscard]] const SolveCost& cost() const noexcept { return cost_; }

  /// Adds the sweeps within which they were taken to `sequence`, and them. Where one ended the solve its R is the
  /// graph's.
  void add_to(StageSequence& sequence, SolveReport swept);

 private:
  LocalDynamics& ldy_;
  long next_ = 0;  // not before so many sweeps
  SolveCost cost_;
  SolveReport last_;  // that which ended the solve
  Iterate solution_;  // of the same; empty: none has
};

}  // namespace locdyn::detail
