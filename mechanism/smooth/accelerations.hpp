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

/// Accelerations of a mechanism over and over: what it learns of a rank in one place tells a singular one in the next.
class Accelerations {
 public:
  /// The mechanism must outlive it.
  explicit Accelerations(Mechanism& mechanism) : mechanism_(mechanism), A_(inertia(mechanism)) {}

  /// Where the bodies are, for their velocities, which should meet the rows, and the time that holds. Throws
  /// std::invalid_argument as `Mechanism::evaluate`, `Mechanism::bias` and `smooth_forces` do. Cost: one sparse QR and
  /// one factorisation.
  [[nodiscard]] AccelerationReport solve(const AppliedLoads& loads);

  /// Rows that repeat no others, ascending, where it was solved last.
  [[nodiscard]] std::vector<Eigen::Index> independent() const;

 private:
  void describe_rank(AccelerationReport& report);

  Mechanism& mechanism_;
  SparseMatrix A_;
  SaddleSystem system_;
  std::vector<Eigen::Index> usual_;  // rows redundant in the best position so far
};

/// Once.
[[nodiscard]] AccelerationReport accelerations(Mechanism& mechanism, const AppliedLoads& loads = {});

/// What each drive gives (k) [N m, or N], from the multipliers; 0 for one that is released.
[[nodiscard]] Eigen::VectorXd drive_forces(const Mechanism& mechanism, const Eigen::VectorXd& multipliers);

}  // namespace locdyn
