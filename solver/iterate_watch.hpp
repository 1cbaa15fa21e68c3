#pragma once
// What every iterative solver keeps on the side: limits, the history of full residuals and the best iterate, so that a
// report is filled and the best R is left in the graph whatever way the iteration ends. A solver's loop is
//
//   while (!watch.over(done)) {
//     … its own algorithm …
//     patience.note(watch.judge(done), done);
//     if (patience.spent(done)) watch.end(SolveStatus::stalled, patience.reason(done, "sweeps"));
//   }
//   return watch.finish(done);

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

/// What a judge says of the R in a graph: each measure and the rounding floor of `scaled`.
struct Judgement {
  double scaled = 0;
  double relative = 0;
  double absolute = 0;
  double floor = 0;

  [[nodiscard]] double value(Measure measure) const noexcept {
    return measure == Measure::scaled ? scaled : measure == Measure::relative ? relative : absolute;
  }
};

[[nodiscard]] Judgement judgement_of(const Residual& residual) noexcept;

/// Does it meet the tolerance of `stop`, or the rounding floor of `scaled` where that is at most √ε? Never where the
/// floor is above both the tolerance and 1e-6, since the residual then says nothing.
[[nodiscard]] bool meets(const Judgement& judgement, const StopOptions& stop) noexcept;

/// Judges the R in the graph with that many threads, leaving U = B + W R in it.
using Judge = std::function<Judgement(LocalDynamics&, int threads)>;

/// The judge of all round-cone solvers: `evaluate_residual`.
[[nodiscard]] Judgement judge_by_residual(LocalDynamics& ldy, int threads);

class TeamWatch;

class IterateWatch {
 public:
  /// Checks `stop` and the problem as `check_options` and `check_problem` do, and starts the clock. `ldy` and `stop`
  /// outlive the watch. A pyramid brings the judge of its own cone.
  IterateWatch(LocalDynamics& ldy, const StopOptions& stop, std::string_view solver, Judge judge = judge_by_residual);

  ~IterateWatch();
  IterateWatch(const IterateWatch&) = delete;
  IterateWatch& operator=(const IterateWatch&) = delete;

  /// Takes the judge's full residual of the R in the graph (U is up to date after it), adds it to the history and keeps
  /// R where it is the best so far. Returns the measure, or the rounding floor where that is large and above it. Cost:
  /// one residual.
  double judge(long iteration);

  /// Has the iteration come to its end, after so many? The first of these that comes is what `finish` tells: `end` was
  /// called; the best iterate meets the tolerance; at the residual taken last the time was over, or somebody had
  /// interrupted; all iterations are done, or all work.
  [[nodiscard]] bool over(long iterations);
  /// May a factorisation begin that takes about so many seconds, in which nothing can stop it? Where iterations, work
  /// or time do not hold it the iteration is over.
  [[nodiscard]] bool allows(long iterations, double seconds);
  /// Diverged where the R judged last is not finite: for methods that go on from there, not from the best.
  void end_unless_finite();
  /// The method itself gives up: `stalled`, `diverged` or `failed`, with one clause that says why.
  void end(SolveStatus status, std::string reason);

  /// The best so far `meets` the tolerance.
  [[nodiscard]] bool converged() const noexcept;
  /// The time limit is over, or somebody has interrupted.
  [[nodiscard]] bool out_of_time() const { return !has_time(0); }
  /// What the report counts has reached the limit of work.
  [[nodiscard]] bool out_of_work() const { return report_.work() >= stop_.max_work; }
  /// Nobody has interrupted, and the time limit holds that many seconds more.
  [[nodiscard]] bool has_time(double more) const { return !interrupted() && seconds() + more < stop_.max_seconds; }
  [[nodiscard]] double seconds() const;

  [[nodiscard]] double best() const noexcept { return best_measure_; }
  /// The rounding floor of `scaled` at the R judged last.
  [[nodiscard]] double floor() const noexcept { return floor_; }
  [[nodiscard]] long best_iteration() const noexcept { return best_iteration_; }
  /// ‖b‖, or 1 where it is 0: what the measures are divided by.
  [[nodiscard]] double load_norm() const noexcept { return load_norm_; }
  [[nodiscard]] SolveReport& report() noexcept { return report_; }

  /// Puts the best R back into the graph.
  void restore_best();

  /// The limits of another solver that works on a part of this problem, after so many iterations of this one; what it
  /// cost is for `report().add_cost`.
  [[nodiscard]] StopOptions left(long iterations) const {
    return limits_left(stop_, iterations, seconds(), report_.work());
  }

  /// Restores the best R and completes the report: `converged` where the best iterate meets the tolerance, else why it
  /// was over.
  [[nodiscard]] SolveReport finish(long iterations);
  /// The same where the residual of the R in the graph comes from somewhere else than `evaluate_residual`.
  [[nodiscard]] SolveReport finish(long iterations, const std::function<Residual()>& evaluate);
  /// `end`, and that.
  [[nodiscard]] SolveReport finish(SolveStatus otherwise, std::string reason, long iterations);

 private:
  struct Ending {
    SolveStatus status;
    std::string reason;
  };

  void keep_as_best();

  [[nodiscard]] bool interrupted() const noexcept { return stop_.interrupt != nullptr && *stop_.interrupt; }

  std::unique_ptr<TeamWatch> team_;  // beside a process that takes the other cores one thread solves it sooner
  LocalDynamics& ldy_;
  const StopOptions& stop_;
  Judge judge_;
  std::chrono::steady_clock::time_point start_;
  std::vector<Eigen::Vector3d> best_R_;  // by place in the arena
  Judgement best_;
  double best_measure_;
  long best_iteration_ = 0;
  double floor_ = 0;
  bool finite_ = true;   // the iterate judged last
  bool in_time_ = true;  // at that residual
  std::optional<Ending> ending_;
  double load_norm_ = 1;
  SolveReport report_;
};

/// ‖b‖₂² with b = B + σ over the rows in use.
[[nodiscard]] double load_square(const LocalDynamics& ldy);
/// Its root; 1 where it is 0.
[[nodiscard]] double load_norm(const LocalDynamics& ldy);

}  // namespace locdyn::detail
