#pragma once
// What Newton's method asks of all rows together. On one machine the graph has them all; where many machines share a
// problem each graph has some, and answers come from all: the method itself sees no difference.

#include <memory>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/chosen_sweep.hpp>

namespace locdyn::detail {

/// Answers are the same wherever a part of the problem is.
class WholeGraph {
 public:
  virtual ~WholeGraph() = default;

  /// Of the R in the graph, which gets U = B + W R.
  [[nodiscard]] virtual Residual residual() = 0;
  /// U = B + W R into the graph.
  virtual void update_velocities() = 0;
  /// So many sweeps forward of the R in the graph, fewer where `watch` is out of time or work; their cost goes into its
  /// report.
  virtual void sweep(long count, IterateWatch& watch) = 0;
  /// The sum over all parts of what each has.
  [[nodiscard]] virtual double sum(double part) const = 0;
};

/// One machine's: the graph has all rows.
class WholeOfOne final : public WholeGraph {
 public:
  /// Both outlive it.
  WholeOfOne(LocalDynamics& ldy, const StopOptions& stop) : ldy_(ldy), stop_(stop) {}

  [[nodiscard]] Residual residual() override;
  void update_velocities() override;
  void sweep(long count, IterateWatch& watch) override;
  [[nodiscard]] double sum(double part) const override { return part; }

 private:
  LocalDynamics& ldy_;
  const StopOptions& stop_;
  std::unique_ptr<ChosenSweep> sweep_;  // once it is asked for
};

}  // namespace locdyn::detail
