#pragma once
// A sweep over the blocks of W by several threads: a second graph, packed in the order of a coloured schedule, since
// rows taken from here and there in the first one's memory cost three times as much as a stream of them.

#include <vector>

#include <locdyn/solver/nsgs/carried_rows.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>

namespace locdyn::detail {

class ColouredSweep {
 public:
  /// Copies the graph, in the order by bandwidth, and prepares its laws for so many threads, which change no bit.
  /// `ldy` outlives it. Cost: some ten sweeps, and the memory of the graph.
  ColouredSweep(LocalDynamics& ldy, int threads);

  /// As `GaussSeidelSweep::run`, on an R of its own.
  double run(SweepDirection direction, double relaxation) { return sweep_.run(direction, relaxation); }

  /// R from the graph, as somebody else has left it, or to it. Cost: one pass over its rows.
  void read_reactions();
  void write_reactions();

  /// As `CarriedRows::carry_on`.
  void carry_on(double share) { carried_.carry_on(copy_, share); }

  /// As `GaussSeidelSweep::products`.
  [[nodiscard]] double products() const noexcept { return sweep_.products(); }

 private:
  ColouredSweep(LocalDynamics& ldy, SweepSchedule schedule, int threads);

  LocalDynamics& ldy_;
  std::vector<ConstraintId> sequence_;  // of the graph's constraints, by id in the copy
  LocalDynamics copy_;
  GaussSeidelSweep sweep_;
  CarriedRows carried_;
};

}  // namespace locdyn::detail
