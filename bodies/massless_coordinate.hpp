#pragma once
// One coordinate without mass, such as the parameter of the point of a curve at which a cam touches: u = (ṡ), A = (0).
// No force acts on it, so that the reactions of the constraints that hold it balance by themselves: 0 = Hᵀ R. Such
// coordinates are eliminated by whoever solves for accelerations or impulses from A and H.

#include <locdyn/bodies/kinematic_body.hpp>

namespace locdyn {

/// It is nowhere in space: its points and directions are those of space and rest. It has no A⁻¹, and where that is
/// asked for gives 0, which is the coordinate held still; a time step through W would do that, so `predict` refuses.
class MasslessCoordinate final : public KinematicBody {
 public:
  /// s at start, in whatever unit. Throws std::invalid_argument where not finite.
  explicit MasslessCoordinate(double value);

  /// Where it is now.
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
  [[nodiscard]] double mass() const override { return 0; }
  [[nodiscard]] double potential_energy(const Eigen::Vector3d& gravity) const override;
  /// Both throw std::logic_error: nothing acts on it.
  void add_force(const Eigen::Vector3d& force, const Eigen::Vector3d& x) override;
  void add_torque(const Eigen::Vector3d& torque) override;
  [[nodiscard]] Eigen::VectorXd added_force() const override;
  [[nodiscard]] Eigen::VectorXd smooth_force(const Eigen::Vector3d& gravity) const override;
  void clear_forces() override;

 private:
  void take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) override;
  /// Throws std::runtime_error: it has no free velocity.
  void evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme scheme) override;

  double value_;
};

}  // namespace locdyn
