#include <locdyn/distributed/distributed_watch.hpp>

#include <cmath>

#include <locdyn/solver/iterate_watch.hpp>

namespace locdyn::distributed {

DistributedWatch::DistributedWatch(DistributedGraph& graph, DistributedSweeps& sweeps, double tolerance,
                                   DistributedReport& report)
    : graph_(graph), sweeps_(sweeps), tolerance_(tolerance), report_(report) {}

const Residual& DistributedWatch::judge(long iterations) {
  residual_ = sweeps_.judge();
  return keep(iterations);
}

const Residual& DistributedWatch::judge_graph(long iterations) {
  residual_ = sweeps_.judge_graph();
  return keep(iterations);
}

const Residual& DistributedWatch::keep(long iterations) {
  report_.history.push_back({iterations, MPI_Wtime() - began_, residual_.scaled});
  at_best_ = !any_ || residual_.scaled < best_scaled_;
  if (at_best_) {
    any_ = true;
    best_scaled_ = residual_.scaled;
    best_.clear();
    for (const DiagonalBlock& row : graph_.ldy().diagonal_arena()) best_.push_back(row.R);
    report_.residual = residual_;
    report_.worst = sweeps_.worst();
  }
  return residual_;
}

bool DistributedWatch::over() {
  StopOptions stop;
  stop.tolerance = tolerance_;
  if (detail::meets(detail::judgement_of(residual_), stop)) {
    report_.status = SolveStatus::converged;
    return true;
  }
  if (std::isfinite(residual_.scaled)) return false;
  report_.status = SolveStatus::diverged;
  report_.reason = "the iterate is not finite";
  return true;
}

void DistributedWatch::finish() {
  if (any_ && !at_best_) {
    for (std::size_t k = 0; k < best_.size(); ++k) graph_.ldy().diagonal_arena()[k].R = best_[k];
    (void)sweeps_.judge_graph();
  }
  report_.seconds = MPI_Wtime() - began_;
}

}  // namespace locdyn::distributed
