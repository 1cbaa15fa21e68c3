#pragma once
// Velocities and accelerations of a mechanism from those of its drives:
//
//   G u = −d,   G u̇ = −b,   each the nearest to a given one in the metric M: min ‖u − u₀‖_M
//
// With as many independent rows as coordinates there is one answer, whatever u₀; with fewer the motions left free go on
// as u₀ says, by default not at all.
//
// Source: Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems (1989) §§3.6, 4.4.

#include <Eigen/Core>
#include <string>

#include <locdyn/mechanism/mechanism.hpp>

namespace locdyn {

/// What velocities or accelerations have come to.
struct RateReport {
  Eigen::VectorXd value = {};  ///< u [m/s, rad/s] or u̇ [m/s², rad/s²] (n): the least-squares one where not `met`
  Eigen::VectorXd multipliers = {};  ///< λ (m): M (u − u₀) = Gᵀ λ; with Metric::kinetic impulses, or forces
  bool met = false;                  ///< all rows are met
  double residual = 0;               ///< the largest |G u + d| or |G u̇ + b| [m/s, m/s²]
  std::string at_fault = {};         ///< where not met: the row that asks most in vain
  Eigen::Index freedoms = 0;         ///< motions that the rows leave free
  Eigen::Index rank_lost = 0;        ///< rows lost since the best position so far: a singular one
};

/// Gives the velocities to the bodies where they are met; else the bodies keep theirs. `near` is u₀ (n; of size 0: 0).
/// Throws as `Mechanism::factorise` does. Cost: one sparse factorisation.
RateReport solve_velocities(Mechanism& mechanism, const Eigen::VectorXd& near = {});
/// For the velocities that the bodies have, which should be met. Changes nothing. Throws and costs as
/// `solve_velocities`.
[[nodiscard]] RateReport solve_accelerations(Mechanism& mechanism, const Eigen::VectorXd& near = {});

/// G x = γ nearest to x₀, by the factor that `factorise` left.
[[nodiscard]] RateReport nearest_rates(const Mechanism& mechanism, const Eigen::VectorXd& gamma,
                                       const Eigen::VectorXd& near = {});

/// Acceleration in space [m/s²] of the point at X in a body's coordinates, for u̇ (n) and the velocities that hold now.
[[nodiscard]] Eigen::Vector3d point_acceleration(const Mechanism& mechanism, BodyId body, const Eigen::Vector3d& X,
                                                 const Eigen::VectorXd& acceleration);

}  // namespace locdyn
