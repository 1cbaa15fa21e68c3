#pragma once
// The inner loop: semismooth Newton on the problem with a proximal term, W + a D and B − a D R̄.

#include <Eigen/Core>
#include <vector>

#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/newton/bent_rows.hpp>
#include <locdyn/solver/newton/held_rows.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/newton/plain_fours.hpp>
#include <locdyn/solver/newton/whole_graph.hpp>

namespace locdyn::detail {

class ProximalNewton {
 public:
  /// All outlive it.
  ProximalNewton(LocalDynamics& ldy, WholeGraph& whole, NewtonSystem& system, const NewtonOptions& options,
                 IterateWatch& watch);

  /// How a centre is gone for.
  struct Attempt {
    double weight;              ///< a
    double target;              ///< of the scaled residual of the regularised problem
    double augmentation;        ///< ρ over 1/W_nn and 2/tr W_tt
    bool whole_first_step;      ///< near a solution the first step is taken whole, without a line search
    bool holds_rows;            ///< where few rows hinder all others those are held (held_rows.hpp)
    bool keeps_centre = false;  ///< that of the attempt before
  };
  /// Solves for the regularised R from the R in the graph, about it or the centre that is kept, until its residual is
  /// at the target. False where the steps, the line search or the clock gave out before; R then is the last iterate.
  bool solve(const Attempt& attempt);

  /// What the last step took [s]: nothing can interrupt a factorisation, so that one is begun only where the time limit
  /// holds as much again. 0 before the first.
  [[nodiscard]] double seconds_of_step() const noexcept { return seconds_of_step_; }
  /// Newton steps so far, one factorisation each.
  [[nodiscard]] long steps() const noexcept { return steps_; }

 private:
  void update_velocity();
  double merit(double augmentation);
  bool reaches(double target);
  bool find_direction(double augmentation);
  void find_change();
  void go(double t);
  double merit_of_step(double augmentation);
  bool line_search(double augmentation, bool whole);
  bool hold_rows(double augmentation);

  LocalDynamics& ldy_;
  WholeGraph& whole_;
  const NewtonOptions& options_;
  IterateWatch& watch_;
  NewtonSystem& system_;
  double products_;              // block products of one update of U
  std::vector<NewtonRow> rows_;  // by place in the arena, as all below
  PlainFours fours_;             // most of those
  std::vector<LinearisedRow> linear_;
  std::vector<Eigen::Vector3d> centre_;
  std::vector<double> recent_;   // merits of the last steps, for the non-monotone line search
  std::vector<double> squares_;  // of each row in the last of them
  HeldRows held_;
  NewtonStep step_;
  BentRows bent_;
  double load_norm_;       // ‖b‖, or 1
  double mean_scale_ = 0;  // of tr W_αα / d over the constraints
  double weight_ = 0;      // w = a mean_scale_ [velocity/force]
  long steps_ = 0;
  double seconds_of_step_ = 0;
};

}  // namespace locdyn::detail
