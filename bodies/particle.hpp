#pragma once
// A point mass: 3 velocities, linear in space, A = m I.

#include <locdyn/bodies/kinematic_body.hpp>

namespace locdyn {

/// All its points share one velocity; body coordinates are space axes with their origin at the particle.
class Particle final : public KinematicBody {
 public:
  /// mass [kg] > 0, position [m] in space. Throws std::invalid_argument.
  Particle(double mass, const Eigen::Vector3d& position);

  /// In space [m].
  [[nodiscard]] const Eigen::Vector3d& position() const noexcept { return position_; }

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
  [[nodiscard]] double kinetic_energy() const override;
  [[nodiscard]] double potential_energy(const Eigen::Vector3d& gravity) const override;
  void add_force(const Eigen::Vector3d& force, const Eigen::Vector3d& x) override;
  /// Throws std::logic_error: a particle does not turn.
  void add_torque(const Eigen::Vector3d& torque) override;
  [[nodiscard]] Eigen::VectorXd added_force() const override;
  [[nodiscard]] Eigen::VectorXd smooth_force(const Eigen::Vector3d& gravity) const override;
  void clear_forces() override;
  [[nodiscard]] bool tells_of_changes() const noexcept override { return true; }

 private:
  void take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) override;
  void evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme scheme) override;

  double mass_;
  Eigen::Vector3d position_;
  Eigen::Vector3d force_ = Eigen::Vector3d::Zero();
};

}  // namespace locdyn
