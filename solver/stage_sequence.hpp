#pragma once
// Solvers one after the other on one graph, as one solve: what the limits leave to each, and one report of all.

#include <limits>
#include <string>
#include <utility>

#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

class StageSequence {
 public:
  /// `stop` holds for all together, and outlives this.
  explicit StageSequence(const StopOptions& stop) : stop_(stop) {}

  void add(SolveReport stage) { total_.follow_with(std::move(stage)); }
  /// What somebody took who changed nothing.
  void add_cost(const SolveCost& cost, double seconds) {
    total_.add_cost(cost);
    total_.seconds += seconds;
  }

  /// What is left of the limits for the next stage, of iterations at most so many.
  [[nodiscard]] StopOptions left(long iterations = std::numeric_limits<long>::max()) const;

  /// No stage can do it, and why: it has ended, and `failed`.
  void give_up(std::string reason) { hopeless_ = std::move(reason); }

  /// Converged, given up, or a limit is reached. Never before the first stage, which judges the warm start whatever the
  /// limits.
  [[nodiscard]] bool ended() const;

  /// All stages so far, the outcome that of the last.
  [[nodiscard]] const SolveReport& total() const noexcept { return total_; }

  /// The report of all: `converged`, `failed` where it was given up, or the limit that came first, or else `status`
  /// with its reason.
  [[nodiscard]] SolveReport finish(SolveStatus status, std::string reason);

 private:
  [[nodiscard]] bool out_of_time() const;
  [[nodiscard]] const char* limit_reached() const;  // why, or nullptr

  const StopOptions& stop_;
  SolveReport total_;
  std::string hopeless_;  // why it was given up
};

}  // namespace locdyn::detail
