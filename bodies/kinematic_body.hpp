#pragma once
// A body that tells how its points and directions move, to the second derivative, and what force acts on it: what
// joints, forces between points, mechanisms and smooth motion ask for beside stepping.

#include <Eigen/Core>

#include <locdyn/bodies/body_set.hpp>

namespace locdyn {

/// What a material point, or a material direction, does in space: where it lies (points) or points to, its velocity,
/// and its bias: the acceleration that is left while the body's own velocities u do not change.
struct MaterialMotion {
  Eigen::Vector3d value, velocity, bias;  ///< x, ẋ and the part of ẍ that u̇ has no share in
};

class KinematicBody : public Body {
 public:
  [[nodiscard]] const KinematicBody* kinematics() const noexcept final { return this; }

  /// The material point X, in body coordinates: x, ẋ and ẍ at u̇ = 0 [m, m/s, m/s²]. An obstacle goes on as it moves.
  [[nodiscard]] virtual MaterialMotion point_motion(const Eigen::Vector3d& X) const = 0;
  /// The same of the material direction D = X₂ − X₁, in body axes: d, ḋ and d̈ at u̇ = 0. It turns and stretches with
  /// the body; the directions of a body that does not turn stay.
  [[nodiscard]] virtual MaterialMotion direction_motion(const Eigen::Vector3d& D) const = 0;
  /// H (3×n) in space axes: ḋ = H u.
  virtual void direction_jacobian(const Eigen::Vector3d& D, Eigen::Ref<PointJacobian> H) const = 0;

  /// f (n) of A u̇ = f + Hᵀ R at the configuration and velocity that hold now: what was added, weight under `gravity`
  /// [m/s²], stresses, and −Ω × J Ω where u is an angular velocity in the body frame. 0 for what has no mass.
  [[nodiscard]] virtual Eigen::VectorXd smooth_force(const Eigen::Vector3d& gravity) const = 0;
  /// q̇, as many numbers as `configuration` has, for the velocity that holds now; of a quaternion ½ q (0, Ω). An
  /// obstacle's is not known to it and given as 0.
  [[nodiscard]] virtual Eigen::VectorXd configuration_rate() const { return velocity_; }

 protected:
  /// As of Body.
  using Body::Body;
};

/// The body, to be held by a joint, a force or a mechanism. Throws std::invalid_argument naming it where its kind does
/// not tell how it moves, std::out_of_range where it is not there.
[[nodiscard]] const KinematicBody& kinematic(const BodySet& bodies, BodyId id);

}  // namespace locdyn
