#pragma once
// A rigid body that moves in the plane z = 0: u = (ẋ, ẏ, θ̇), A = diag(m, m, I). Points keep their z; what would act
// across the plane is carried by it.

#include <locdyn/bodies/kinematic_body.hpp>

namespace locdyn {

/// Body coordinates have their origin at the mass centre; θ [rad] turns them about z into space.
class PlanarBody final : public KinematicBody {
 public:
  /// mass [kg] > 0, inertia about the z axis through the mass centre [kg m²] > 0, position (2) [m] of the mass centre,
  /// angle [rad]. Throws std::invalid_argument.
  PlanarBody(double mass, double inertia_about_z, const Eigen::Vector2d& position, double angle = 0);

  /// (x, y, 0) [m].
  [[nodiscard]] const Eigen::Vector3d& position() const noexcept { return position_; }
  [[nodiscard]] double angle() const noexcept { return angle_; }

  [[nodiscard]] Eigen::VectorXd configuration() const override;
  void set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) override;
  void advance(double dt) override;
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
  [[nodiscard]] Eigen::Vector3d angular_momentum() const override { return {0, 0, moment_ * velocity_[2]}; }
  [[nodiscard]] double kinetic_energy() const override;
  [[nodiscard]] double potential_energy(const Eigen::Vector3d& gravity) const override;
  void add_force(const Eigen::Vector3d& force, const Eigen::Vector3d& x) override;
  void add_torque(const Eigen::Vector3d& torque) override;
  [[nodiscard]] Eigen::VectorXd added_force() const override;
  [[nodiscard]] Eigen::VectorXd smooth_force(const Eigen::Vector3d& gravity) const override;
  void clear_forces() override;
  [[nodiscard]] bool tells_of_changes() const noexcept override { return true; }

 private:
  void take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) override;
  void evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme scheme) override;

  double mass_, moment_;
  Eigen::Vector3d position_;
  double angle_;
  Eigen::Vector3d force_ = Eigen::Vector3d::Zero();  // (x, y, θ)
};

}  // namespace locdyn
