#pragma once
// The inner loop: semismooth Newton on the problem with a proximal term, W + a D and B − a D R̄.

#include <memory>
#include <vector>

#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>

namespace locdyn {

class ProximalNewton {
 public:
  ProximalNewton(LocalDynamics& ldy, const NewtonOptions& options, GaussSeidelSweep& sweep, IterateWatch& watch);

  /// Steps from the R in the graph, under the proximal term that `sweep` holds, until the scaled residual of the
  /// regularised problem is ≤ `target`. False where the steps, the line search or the clock gave out before; R then is
  /// the last iterate.
  bool solve(double target, double augmentation);

  /// What the last step took [s]: nothing can interrupt a factorisation, so that one is begun only where the time limit
  /// holds as much again. 0 before the first.
  [[nodiscard]] double seconds_of_step() const noexcept { return seconds_of_step_; }
  /// Newton steps so far, one factorisation each.
  [[nodiscard]] long steps() const noexcept { return steps_; }

 private:
  void update_velocity();
  double merit(double augmentation);
  double regularised_residual();
  bool find_direction(double augmentation);
  bool line_search(double augmentation);

  LocalDynamics& ldy_;
  const NewtonOptions& options_;
  GaussSeidelSweep& sweep_;
  IterateWatch& watch_;
  std::unique_ptr<NewtonSystem> system_;
  std::vector<NewtonRow> rows_;  // by place in the arena, as all below
  std::vector<LinearisedRow> linear_;
  std::vector<Eigen::Vector3d> step_, before_;
  std::vector<double> recent_;  // merits of the last steps, for the non-monotone line search
  long steps_ = 0;
  double seconds_of_step_ = 0;
};

}  // namespace locdyn
