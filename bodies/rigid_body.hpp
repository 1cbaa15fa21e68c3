#pragma once
// A rigid body: u = (Ω, ẋ), angular velocity in the body frame and linear velocity in space, so that
// A = diag(J, m I) is constant. The velocity of a point at X in the body is v = ẋ + Q (Ω × X).
//
// Source: Koziara & Bićanić, IJNME 81 (2009) 1073–1092.

#include <array>

#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/bodies/mass_properties.hpp>
#include <locdyn/bodies/rotation.hpp>

namespace locdyn {

/// Body coordinates have their origin at the mass centre and the axes of the inertia tensor handed in. The free
/// velocity keeps spatial angular momentum: it changes by exactly h T over a step (momentum_update.hpp), and `predict`
/// throws std::runtime_error where that equation is not solved, far beyond a radian a step.
class RigidBody final : public KinematicBody {
 public:
  /// position [m]: of the mass centre, in space (`properties.center`, which is in the coordinates of the shape, is not
  /// used). orientation: unit quaternion (scalar first in Eigen's constructor) from body to space; made exactly unit
  /// where its norm is within 1e-6 of 1. The inertia tensor may be full. Throws std::invalid_argument.
  RigidBody(const MassProperties& properties, const Eigen::Vector3d& position,
            const Orientation& orientation = Orientation::Identity());

  /// Of the mass centre, in space [m].
  [[nodiscard]] const Eigen::Vector3d& position() const noexcept { return position_; }
  /// From body axes to space, of unit length.
  [[nodiscard]] const Orientation& orientation() const noexcept { return orientation_; }
  /// Q (3×3), from body to space.
  [[nodiscard]] const Eigen::Matrix3d& rotation() const noexcept { return rotation_; }
  [[nodiscard]] const RigidBody* rigid() const noexcept override { return this; }
  /// J in the body frame [kg m²].
  [[nodiscard]] const Eigen::Matrix3d& rotational_inertia() const noexcept { return inertia_; }
  /// J⁻¹ in the body frame [1/(kg m²)].
  [[nodiscard]] const Eigen::Matrix3d& inverse_inertia() const noexcept { return inverse_inertia_; }
  /// The angular part (3×3) of H at x, as `point_jacobian` says; the linear one is frameᵀ. Row k is Qᵀ (r × f_k).
  [[nodiscard]] Eigen::Matrix3d turning_jacobian(const Eigen::Vector3d& x, const Eigen::Matrix3d& frame) const {
    const Eigen::Vector3d r = x - position_;
    Eigen::Matrix3d turning;
    for (int k = 0; k < 3; ++k) turning.row(k) = r.cross(frame.col(k));
    return turning * rotation_;
  }
  [[nodiscard]] Eigen::Vector3d angular_velocity() const override;
  /// About the mass centre in space, Q J Ω [kg m²/s].
  [[nodiscard]] Eigen::Vector3d angular_momentum() const override;

  [[nodiscard]] Eigen::VectorXd configuration() const override;
  void read_configuration(Eigen::VectorXd& q) const override;
  void set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) override;
  void advance(double dt) override;
  /// The same of four bodies, none of them twice, side by side in vector registers: to the same bits.
  static void advance_four(const std::array<RigidBody*, 4>& bodies, double dt);
  /// Is J a multiple of 1? Then Ω has no momentum equation to solve.
  [[nodiscard]] bool is_isotropic() const noexcept { return isotropic_; }
  /// `predict` with checked arguments, of four bodies, none of them twice, side by side in vector registers, to the
  /// same bits: of those whose bit 0 … 3 is set in what it returns. The others turn too far: u_free is theirs to find.
  [[nodiscard]] static unsigned predict_four(const std::array<RigidBody*, 4>& bodies, double h,
                                             const Eigen::Vector3d& gravity, Scheme scheme);
  void point_jacobian(const Eigen::Vector3d& x, const Eigen::Matrix3d& frame,
                      Eigen::Ref<PointJacobian> H) const override;
  void spin_jacobian(const Eigen::Matrix3d& frame, Eigen::Ref<PointJacobian> H) const override;
  void apply_inverse_inertia(Eigen::Ref<Eigen::MatrixXd> X) const override;
  [[nodiscard]] Eigen::MatrixXd inertia() const override;
  [[nodiscard]] Eigen::Vector3d to_space(const Eigen::Vector3d& X) const override;
  [[nodiscard]] Eigen::Vector3d to_body(const Eigen::Vector3d& x) const override;
  [[nodiscard]] MaterialMotion point_motion(const Eigen::Vector3d& X) const override;
  [[nodiscard]] MaterialMotion direction_motion(const Eigen::Vector3d& D) const override;
  void direction_jacobian(const Eigen::Vector3d& D, Eigen::Ref<PointJacobian> H) const override;
  [[nodiscard]] double mass() const override { return mass_; }
  [[nodiscard]] double kinetic_energy() const override;
  [[nodiscard]] double potential_energy(const Eigen::Vector3d& gravity) const override;
  void add_force(const Eigen::Vector3d& force, const Eigen::Vector3d& x) override;
  void add_torque(const Eigen::Vector3d& torque) override;
  [[nodiscard]] Eigen::VectorXd added_force() const override;
  [[nodiscard]] Eigen::VectorXd smooth_force(const Eigen::Vector3d& gravity) const override;
  [[nodiscard]] Eigen::VectorXd configuration_rate() const override;
  void clear_forces() override;
  [[nodiscard]] bool tells_of_changes() const noexcept override { return true; }

 private:
  // Ω⁺ of each, and the bits of those that found it.
  static unsigned spin_four(const std::array<RigidBody*, 4>& bodies, double h, Scheme scheme);
  static bool turn_four(const std::array<RigidBody*, 4>& bodies, double dt);
#if defined(__x86_64__)
  static unsigned spin_four_avx2(const std::array<RigidBody*, 4>& bodies, double h, Scheme scheme);
  static bool turn_four_avx2(const std::array<RigidBody*, 4>& bodies, double dt);
#endif
  static unsigned spin_four_anywhere(const std::array<RigidBody*, 4>& bodies, double h, Scheme scheme);
  static bool turn_four_anywhere(const std::array<RigidBody*, 4>& bodies, double dt);
  void predict_centre(double h, const Eigen::Vector3d& gravity);
  void move(const Eigen::Vector3d& rotation, const Eigen::Vector3d& shift);
  void take_displacement(const Eigen::Ref<const Eigen::VectorXd>& d) override;
  void take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) override;
  void evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme scheme) override;

  double mass_;
  bool isotropic_;                             // J is a multiple of 1
  Eigen::Matrix3d inertia_, inverse_inertia_;  // J and J⁻¹ in the body frame
  Eigen::Vector3d position_;
  Orientation orientation_;
  Eigen::Matrix3d rotation_;  // of orientation_
  Eigen::Vector3d force_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d torque_ = Eigen::Vector3d::Zero();  // about the mass centre, in space
};

}  // namespace locdyn
