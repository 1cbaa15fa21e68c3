#pragma once
// What a step tells of itself.

#include <Eigen/Core>
#include <string>
#include <vector>

#include <locdyn/simulation/breaking.hpp>
#include <locdyn/solver/solve_report.hpp>

namespace locdyn {

struct StepReport {
  long step = 0;    ///< counts from 1
  double time = 0;  ///< at the end of the step [s]

  // The contact problem.
  std::size_t contacts = 0;                     ///< in the graph, open ones included; those of what sleeps are not
  std::size_t constraints = 0;                  ///< of all kinds
  std::size_t islands = 0;                      ///< of the graph
  std::size_t sleeping = 0;                     ///< bodies, at the end of the step
  SolveStatus status = SolveStatus::converged;  ///< the worst of all islands
  bool within_budget = false;  ///< `status` is max_iterations for the budget of sweeps alone: no failure
  /// Did a solve not converge, but for the budget?
  [[nodiscard]] bool failed() const noexcept { return status != SolveStatus::converged && !within_budget; }
  std::string warning;             ///< one line where a solve did not converge, even if parts then did; else empty
  long iterations = 0;             ///< of all islands
  double block_products = 0;       ///< 3×3 block times vector products, of all islands
  long factorisations = 0;         ///< of all islands
  double factorisation_flops = 0;  ///< floating point operations in them
  double residual = 0;             ///< `scaled`, the worst of all islands, each by its own ‖b‖
  double penetration = 0;          ///< largest −gap at q*, ≥ 0 [m]
  double joint_error = 0;          ///< largest error of position left in hard joints, at the end [m] (projection alone)
  /// Islands solved whose reactions are not those of least norm, though they were asked for.
  std::size_t not_least_norm = 0;
  int parts = 1;  ///< steps of h/parts it was made of (policy `halve`)

  std::vector<BrokenJoint> broken;  ///< joints that it broke: they are gone from the next step on

  // At the end of the step.
  double kinetic_energy = 0;     ///< [J]
  double potential_energy = 0;   ///< of weight, deformation and applied forces [J]
  double correction_energy = 0;  ///< potential energy that this step's position correction added [J]
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero();          ///< [kg m/s]
  Eigen::Vector3d angular_momentum = Eigen::Vector3d::Zero();  ///< about the space origin [kg m²/s]
  double largest_speed = 0;  ///< of a mass centre or, times the body's extent, of its turning [m/s]

  /// Where the time went.
  struct Stages {
    double detection = 0, assembly = 0, solve = 0, correction = 0, other = 0;  ///< [s]
    /// Of all stages [s].
    [[nodiscard]] double total() const noexcept { return detection + assembly + solve + correction + other; }
  } seconds;  ///< by stage
};

}  // namespace locdyn
