#pragma once
// A sweep of any form behind one face, for the loop around it: over the blocks of W in the graph, over a coloured copy
// of it, or through velocities. The last two keep an R of their own.

#include <memory>
#include <span>

#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>

namespace locdyn::detail {

class ChosenSweep {
 public:
  virtual ~ChosenSweep() = default;

  /// One sweep with over-relaxation ω; ‖D ΔR‖₂ [velocity].
  virtual double run(SweepDirection direction, double relaxation) = 0;
  /// One over the constraints that have seen changes, where the form can tell; else `run` forwards.
  virtual double run_active(double relaxation) = 0;

  /// R ← R + share (R − R before), R before being what this found the last time; nothing moves the first time.
  virtual void carry_on(double share) = 0;

  /// Sweeps where most of the residual is, as `judge` has just found it, until a sweep there changes R by no more than
  /// `enough` [velocity], worth at most so many sweeps. How many it was worth; 0 where it is spread out, or the form
  /// does not know.
  virtual double focus(double enough, double most) = 0;

  /// Takes the R in the graph, which somebody else has changed.
  virtual void read_reactions() = 0;
  /// The same where it is only these that have been changed since R was last written: their neighbours are visited
  /// next.
  virtual void read_reactions(std::span<const ConstraintId> changed) = 0;
  /// Puts R into the graph, where somebody can look.
  virtual void write_reactions() = 0;
  /// `write_reactions`, the full residual, and U of the graph.
  [[nodiscard]] virtual Judgement judge(LocalDynamics& ldy, int threads) = 0;

  /// Products of 3×3 blocks since the sweep was made.
  [[nodiscard]] virtual double products() const = 0;
};

/// The form that `automatic` chooses: a rule of counts alone.
[[nodiscard]] SweepForm choose_form(const LocalDynamics& ldy);

/// The form, order and precision that the options ask for. `ldy` outlives it; insertions and removals make it void.
[[nodiscard]] std::unique_ptr<ChosenSweep> choose_sweep(LocalDynamics& ldy, const NsgsOptions& options);

}  // namespace locdyn::detail
