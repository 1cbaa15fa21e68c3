#pragma once
// Inverse dynamics over a time grid: the drives go as told, positions, velocities and accelerations follow from the
// rows alone, and the multipliers are what it takes,
//
//   C(q, t) = 0,   G u = −d,   G u̇ = γ,   Gᵀ λ = A u̇ − f(q, u, t)
//
// the reactions of all bearings, and the force or torque of each drive; of redundant rows the least ‖λ‖.
//
// Source: Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems (1989) §6.4 (kinetostatics).

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/mechanism/smooth/accelerations.hpp>
#include <locdyn/mechanism/smooth/motion_error.hpp>

namespace locdyn {

/// When, and what the drives do.
struct InverseOptions {
  std::vector<double> times = {};  ///< [s], ascending, from the time of the bodies on
  /// What held drives follow: value, rate and acceleration as functions of time. Others stay where they are.
  std::vector<std::pair<DriveId, TimeFunction>> programs = {};
  double branch = 0.25;  ///< of a step between times that closing may add before it is halved, in (0, 1)
};

/// What it takes at one time.
struct InversePoint {
  double time = 0;                ///< [s]
  AccelerationReport rates = {};  ///< u̇ and λ
  Eigen::VectorXd drives = {};    ///< what each drive gives (k) [N m, or N]
  double power = 0;               ///< of the drives together, into the mechanism [W]
};
/// Called at each time, the bodies there with their velocities.
using InverseVisit = std::function<void(const InversePoint&)>;

/// The points, in order of time; the bodies are at the last one. Positions stay on the branch on which they start.
/// Throws std::invalid_argument naming an option out of range or what the mechanism left out, or where a program's
/// drive is released; MotionError where rows leave a freedom, contradict each other, do not close, or a function gives
/// no number: the bodies are then at the last good point. Cost: some four sparse factorisations for each time.
std::vector<InversePoint> inverse_dynamics(Mechanism& mechanism, const AppliedLoads& loads,
                                           const InverseOptions& options, const InverseVisit& visit = {});

}  // namespace locdyn
