#pragma once
// What both pyramid solvers share: the clock, the full residuals taken on the way, the best iterate, the report.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/solver/pyramid/pyramid_residual.hpp>
#include <locdyn/solver/solve_options.hpp>

namespace locdyn {

class PyramidProgress {
 public:
  /// Checks options and problem as solve_options.hpp says, and starts the clock.
  PyramidProgress(LocalDynamics& ldy, const FrictionPyramid& pyramid, const StopOptions& stop, std::string_view solver);

  /// Takes the pyramid's own residual of the R in the graph, keeps R where it is the best so far, and returns the
  /// measure that the options name.
  double take_residual(long iteration);
  /// Whether the last residual met the tolerance or the rounding floor.
  [[nodiscard]] bool met() const noexcept { return met_; }
  [[nodiscard]] double best() const noexcept { return best_value_; }

  [[nodiscard]] double seconds() const;
  [[nodiscard]] bool out_of_time() const { return seconds() >= stop_.max_seconds; }

  /// Puts the best R into the graph and fills the rest of the report.
  SolveReport finish(SolveStatus status, std::string reason, long iterations);

  SolveReport report;  ///< the solver adds its own counts and stages

 private:
  void keep();

  LocalDynamics& ldy_;
  const FrictionPyramid& pyramid_;
  StopOptions stop_;
  std::chrono::steady_clock::time_point start_;
  std::vector<Eigen::Vector3d> best_R_;  // by place in the arena
  double best_value_;
  bool met_ = false;
};

}  // namespace locdyn
