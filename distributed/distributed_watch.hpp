#pragma once
// What a solve over ranks keeps on the side, as `IterateWatch` does on one machine: every residual with its time, and
// the best R, which is left in the graph whatever way the iteration ends.

#include <Eigen/Core>
#include <limits>
#include <vector>

#include <locdyn/distributed/distributed_sweeps.hpp>

namespace locdyn::distributed {

/// The same on all ranks. Members that judge are collective.
class DistributedWatch {
 public:
  /// All outlive it; `report` gets history, best residual and worst constraint.
  DistributedWatch(DistributedGraph& graph, DistributedSweeps& sweeps, double tolerance, DistributedReport& report);

  /// Judges the R that `sweeps` has, after so many iterations; or the R that lies in the graph.
  const Residual& judge(long iterations);
  const Residual& judge_graph(long iterations);
  /// The residual taken last meets the tolerance or is not finite: status and reason say so.
  [[nodiscard]] bool over();
  /// The least `scaled` so far.
  [[nodiscard]] double best() const noexcept { return best_scaled_; }
  /// The best R into the graph, with its U, and the time of all into the report.
  void finish();

 private:
  const Residual& keep(long iterations);

  DistributedGraph& graph_;
  DistributedSweeps& sweeps_;
  double tolerance_;
  DistributedReport& report_;
  double began_ = MPI_Wtime();
  Residual residual_;
  std::vector<Eigen::Vector3d> best_;  // by place in the arena
  double best_scaled_ = std::numeric_limits<double>::infinity();
  bool any_ = false, at_best_ = false;
};

}  // namespace locdyn::distributed
