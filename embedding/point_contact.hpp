#pragma once
// A contact of bodies with 6 velocities, given as a point in space. A body's velocities are (Ω, ẋ): angular velocity in
// the body frame, then the velocity of its mass centre in space, so that A⁻¹ = diag(J⁻¹, I/m) is constant. The point at
// x moves with v = ẋ + Q (Ω × Qᵀ (x − c)), and a contact sees U = frameᵀ (v_slave − v_master).
//
// A program whose angular velocities are in space leaves Q the identity and hands in A⁻¹ = diag(Q J⁻¹ Qᵀ, I/m) anew
// when its bodies have turned.

#include <Eigen/Core>
#include <cstdint>
#include <string>

namespace locdyn {

using BodyIndex = std::uint32_t;  ///< of a body of a `ContactProblem`, in the order in which they were added

/// Where a body is: c, its mass centre in space [m], and Q (3×3), from its frame to space.
struct BodyPose {
  Eigen::Vector3d center =
      Eigen::Vector3d::Zero();  ///< of the coordinates that velocities are told about, in space [m]
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();  ///< from the body's axes to space
};

/// Unilateral contact with Coulomb friction between two bodies of 6 velocities.
struct PointContact {
  BodyIndex master = 0;                                 ///< the frame's normal leads away from it
  BodyIndex slave = 0;                                  ///< another body; at least one of the two can move
  Eigen::Vector3d point = Eigen::Vector3d::Zero();      ///< in space [m]
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();  ///< columns (t1, t2, n) in space, n from master to slave
  double friction = 0;                                  ///< 0 ≤ μ ≤ 1e6
  double gap = 0;  ///< [m]; where it is > 0 the contact may close by it within the step: σ_n += gap/h
  /// σ (t1, t2, n) [m/s], added to U before the law is posed: (0, 0, e·min(V_n, 0)) for a restitution e, with V the
  /// relative velocity before the step and its forces; −α depth/h along n to take back penetration (Baumgarte).
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();
};

/// A⁻¹ (6×6) of a rigid body: diag(J⁻¹, I/m). mass m [kg] > 0; inertia J (3×3) [kg m²] about the mass centre in the
/// body frame, symmetric and positive definite. Throws std::invalid_argument.
[[nodiscard]] Eigen::Matrix<double, 6, 6> rigid_inverse_inertia(double mass, const Eigen::Matrix3d& inertia);

namespace detail {

/// H (3×6) of the point at x of a body: H (Ω, ẋ) = frameᵀ v(x).
[[nodiscard]] Eigen::Matrix<double, 3, 6> point_jacobian(const BodyPose& pose, const Eigen::Vector3d& x,
                                                         const Eigen::Matrix3d& frame);

/// Throws std::invalid_argument naming the contact and the field where a number is not finite, the frame is not a
/// rotation to 1e-9, μ is out of range or the bodies are the same.
void validate(const PointContact& contact);

/// Columns orthonormal to 1e-9, and right-handed: else what was found. Empty for a rotation.
[[nodiscard]] std::string fault_of_rotation(const Eigen::Matrix3d& rotation);

}  // namespace detail
}  // namespace locdyn
