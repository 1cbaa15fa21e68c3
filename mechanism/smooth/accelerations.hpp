#pragma once
// The equations of motion at one instant, at acceleration level:
//
//   [A −Gᵀ] [u̇]   [ f(q, u, t)                    ]
//   [G   0 ] [λ ] = [ γ = −(Ċ_q u + C_tq u + C_tt)   ],   γ = −(Ḋ u + ḋ) in rows posed on velocities alone
//
// f with the gyroscopic torque −Ω × J Ω of rigid bodies, angular velocities being in the body frame. λ are the
// reactions of all rows, those of held drives among them; of redundant rows the least ‖λ‖.
//
// Source: Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems (1989) §§6.3, 11.3; Arnold, in: Simulation
// Techniques for Applied Dynamics (2008) §2.

#include <Eigen/Core>
#include <string>
#include <vector>

#include <locdyn/mechanism/smooth/applied_loads.hpp>

namespace locdyn {

/// u̇ and λ at one instant.
struct AccelerationReport {
  Eigen::VectorXd acceleration = {};  ///< u̇ (n) [m/s², rad/s²], least squares where not `met`
  Eigen::VectorXd multipliers = {};   ///< λ (m) [N]; the moment of a scaled row is ℓ times its own
  bool met = false;                   ///< the equations hold; no: rows contradict each other, or it was not solved
  double residual = 0;                ///< the largest |G u̇ − γ| [m/s²]
  std::string at_fault = {};          ///< where not met: the row that asks most in vain
  std::vector<std::string> redundant = {};  ///< rows that repeat others here
  Eigen::Index rank_lost = 0;               ///< rows lost since the best position so far: a singular position
  double weakest = 1;                       ///< smallest singular value of the rows (mobility.hpp), 0 where one is lost
  std::string weakest_row = {};             ///< the row with most weight in it, or the one that is lost
};

/// Once.
[[nodiscard]] AccelerationReport accelerations(Mechanism& mechanism, const AppliedLoads& loads = {});

/// What each drive gives (k) [N m, or N], from the multipliers; 0 for one that is released.
[[nodiscard]] Eigen::VectorXd drive_forces(const Mechanism& mechanism, const Eigen::VectorXd& multipliers);

}  // namespace locdyn
