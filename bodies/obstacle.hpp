#pragma once
// A body whose motion is prescribed: no velocities of its own, infinite mass. Its points move as a rigid body,
// v(x) = v + ω × (x − o), where o moves with v.

#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/bodies/rotation.hpp>

namespace locdyn {

/// Body coordinates are the space coordinates that held when the obstacle was made. Forces on it have no effect.
class Obstacle final : public KinematicBody {
 public:
  /// At rest.
  Obstacle();
  /// Moving as `set_motion` says.
  Obstacle(const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity, const Eigen::Vector3d& origin);

  /// From now on v(x) = velocity + angular_velocity × (x − origin), all in space [m/s, rad/s, m]; the origin follows
  /// the velocity. The obstacle stays where it is. Throws std::invalid_argument for a number that is not finite.
  void set_motion(const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity,
                  const Eigen::Vector3d& origin);

  [[nodiscard]] Eigen::Vector3d prescribed_velocity(const Eigen::Vector3d& x) const override;

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
  [[nodiscard]] double mass() const override;
  [[nodiscard]] double kinetic_energy() const override { return 0; }
  [[nodiscard]] double potential_energy(const Eigen::Vector3d& gravity) const override;
  void add_force(const Eigen::Vector3d& force, const Eigen::Vector3d& x) override;
  void add_torque(const Eigen::Vector3d& torque) override;
  [[nodiscard]] Eigen::VectorXd added_force() const override;
  [[nodiscard]] Eigen::VectorXd smooth_force(const Eigen::Vector3d& gravity) const override;
  [[nodiscard]] Eigen::VectorXd configuration_rate() const override;
  void clear_forces() override;
  [[nodiscard]] bool tells_of_changes() const noexcept override { return true; }

 private:
  void take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) override;
  void evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme scheme) override;

  // x = position + rotation X; the matrix is asked for at every contact, the quaternion keeps it a rotation.
  Eigen::Vector3d position_ = Eigen::Vector3d::Zero();
  Orientation orientation_ = Orientation::Identity();
  Eigen::Matrix3d rotation_ = Eigen::Matrix3d::Identity();  // of `orientation_`
  Eigen::Vector3d linear_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d angular_ = Eigen::Vector3d::Zero();
  Eigen::Vector3d origin_ = Eigen::Vector3d::Zero();
};

}  // namespace locdyn
