#pragma once
// One coordinate with inertia and nothing else, u = (ẋ), A = (I): the rotor of a motor, whose spin a joint's coordinate
// drives through a gear (armature inertia). It adds ½ I ẋ² to the kinetic energy and has no place in space, no weight,
// and none of the gyroscopic effects of a wheel that turns.

#include <locdyn/bodies/kinematic_body.hpp>

namespace locdyn {

/// Its points and directions are those of space and rest; nothing can touch or pull it but constraints on the
/// coordinate itself (constraints/driven/rotor_coupling.hpp).
class Rotor final : public KinematicBody {
 public:
  /// I > 0 in the unit that fits the coordinate: kg m² for an angle [rad], kg for a length [m]; x at start. Throws
  /// std::invalid_argument.
  explicit Rotor(double inertia, double value = 0);

  /// x now.
  [[nodiscard]] double value() const noexcept { return value_; }

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
  /// I, whatever its unit: it weighs nothing.
  [[nodiscard]] double mass() const override { return inertia_; }
  [[nodiscard]] double kinetic_energy() const override;
  [[nodiscard]] double potential_energy(const Eigen::Vector3d&) const override { return 0; }
  /// Without effect: it has no point to act on.
  void add_force(const Eigen::Vector3d& force, const Eigen::Vector3d& x) override;
  /// Throws std::logic_error: its torque is a generalised force.
  void add_torque(const Eigen::Vector3d& torque) override;
  [[nodiscard]] Eigen::VectorXd added_force() const override;
  [[nodiscard]] Eigen::VectorXd smooth_force(const Eigen::Vector3d& gravity) const override;
  void clear_forces() override;
  [[nodiscard]] bool tells_of_changes() const noexcept override { return true; }

 private:
  void take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) override;
  void evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme scheme) override;

  double inertia_, value_;
  double force_ = 0;
};

}  // namespace locdyn
