#pragma once
// How the bodies follow the drives with time frozen: the influence coefficients K = ∂q/∂s (n×k) of the k held drives,
//
//   G K = E,   E zero but for ℓ in each drive's row and column
//
// exact, per radian or per metre of each drive. From it the Jacobian of a point and of the turning of its body, J, and
// by virtual work what a load is worth at the drives.
//
// Source: Angeles, Fundamentals of Robotic Mechanical Systems (2014) §§5.3, 5.5; Haug (1989) §3.6.

#include <Eigen/Core>
#include <string>

#include <locdyn/mechanism/mechanism.hpp>

namespace locdyn {

struct DriveTransmission {
  /// n×k, columns in the order of the drives; 0 for one that is released. Of least ‖·‖_M where drives leave freedoms.
  Eigen::MatrixXd K;
  bool exists = false;        ///< no: a drive that cannot move the mechanism here, a dead point
  std::string at_fault = {};  ///< then: the row that asks in vain
};

/// Where the bodies are now. Throws as `Mechanism::factorise` does. Cost: one sparse factorisation, a solve for each
/// drive.
[[nodiscard]] DriveTransmission drive_transmission(Mechanism& mechanism);

/// J (6×k): velocity of the point at X in the body's coordinates [m], in space, then the body's angular velocity, in
/// space, each per unit rate of each drive. Throws std::invalid_argument where K has another size.
[[nodiscard]] Eigen::MatrixXd effector_jacobian(const Mechanism& mechanism, const DriveTransmission& transmission,
                                                BodyId body, const Eigen::Vector3d& X);

/// Kᵀ f (k): what loads f (n, see loads.hpp) are worth at each drive [N m, or N]. With one force F at an effector it is
/// Jᵀ F. In equilibrium the drive itself gives the opposite. Throws std::invalid_argument for wrong sizes.
[[nodiscard]] Eigen::VectorXd drive_loads(const DriveTransmission& transmission, const Eigen::VectorXd& f);

}  // namespace locdyn
