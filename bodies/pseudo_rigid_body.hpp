#pragma once
// A body that deforms homogeneously: x(X) = x_c + F X, u = (Ḟ row by row, ẋ_c), 12 velocities. With the Euler tensor
// 𝓔 = ∫ρ X Xᵀ, A = diag(𝓔, 𝓔, 𝓔, m I), the internal force is −V ∂ψ/∂F, and v(X) = Ḟ X + ẋ_c. There is no gyroscopic
// term: rotation lives in F.
//
// Source: Cohen & Muncaster, The Theory of Pseudo-rigid Bodies (1988); Koziara & Bićanić, IJNME 87 (2011) 437–456, §2.

#include <locdyn/bodies/elastic_material.hpp>
#include <locdyn/bodies/kinematic_body.hpp>

namespace locdyn {

/// Body coordinates X are those of the stress-free body, with their origin at the mass centre. `predict` throws
/// std::runtime_error where the body has turned inside out (det F ≤ 0): the step is too large for the load.
class PseudoRigidBody final : public KinematicBody {
 public:
  /// mass [kg] > 0, Euler tensor ∫ρ X Xᵀ (3×3) [kg m²] positive definite, volume [m³] > 0 of the stress-free body,
  /// position [m] of the mass centre, F (3×3) with det F > 0. Throws std::invalid_argument.
  PseudoRigidBody(double mass, const Eigen::Matrix3d& euler_tensor, const ElasticMaterial& material, double volume,
                  const Eigen::Vector3d& position, const Eigen::Matrix3d& F = Eigen::Matrix3d::Identity());

  /// Of the mass centre, in space [m].
  [[nodiscard]] const Eigen::Vector3d& position() const noexcept { return position_; }
  /// F (3×3).
  [[nodiscard]] const Eigen::Matrix3d& deformation() const noexcept { return F_; }

  /// V ψ(F) [J].
  [[nodiscard]] double strain_energy() const;
  /// h < 2/ω_max [s], the bound of both schemes linearised at F, ω²_max the largest eigenvalue of A⁻¹ V ∂²ψ/∂F²;
  /// infinite where none is positive. A body that will be stretched has a smaller one: leave a margin.
  /// Cost: one 9×9 eigenvalue problem.
  [[nodiscard]] double stable_step() const;

  [[nodiscard]] Eigen::VectorXd configuration() const override;
  void set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) override;
  void advance(double dt) override;
  void point_jacobian(const Eigen::Vector3d& x, const Eigen::Matrix3d& frame,
                      Eigen::Ref<PointJacobian> H) const override;
  /// ω is the vorticity vector: the axis of the skew part of Ḟ F⁻¹.
  void spin_jacobian(const Eigen::Matrix3d& frame, Eigen::Ref<PointJacobian> H) const override;
  void apply_inverse_inertia(Eigen::Ref<Eigen::MatrixXd> X) const override;
  [[nodiscard]] Eigen::MatrixXd inertia() const override;
  [[nodiscard]] Eigen::Vector3d to_space(const Eigen::Vector3d& X) const override;
  [[nodiscard]] Eigen::Vector3d to_body(const Eigen::Vector3d& x) const override;
  [[nodiscard]] MaterialMotion point_motion(const Eigen::Vector3d& X) const override;
  [[nodiscard]] MaterialMotion direction_motion(const Eigen::Vector3d& D) const override;
  void direction_jacobian(const Eigen::Vector3d& D, Eigen::Ref<PointJacobian> H) const override;
  [[nodiscard]] double mass() const override { return mass_; }
  [[nodiscard]] Eigen::Vector3d angular_momentum() const override;
  [[nodiscard]] double potential_energy(const Eigen::Vector3d& gravity) const override;
  void add_force(const Eigen::Vector3d& force, const Eigen::Vector3d& x) override;
  void add_torque(const Eigen::Vector3d& torque) override;
  [[nodiscard]] Eigen::VectorXd added_force() const override;
  [[nodiscard]] Eigen::VectorXd smooth_force(const Eigen::Vector3d& gravity) const override;
  void clear_forces() override;

 private:
  void take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) override;
  void evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme scheme) override;

  double mass_, volume_;
  ElasticMaterial material_;
  Eigen::Matrix3d euler_, inverse_euler_;
  Eigen::Vector3d position_;
  Eigen::Matrix3d F_;
  Eigen::Vector3d force_ = Eigen::Vector3d::Zero();
  Eigen::Matrix3d moment_ = Eigen::Matrix3d::Zero();  // power-conjugate to Ḟ: f Xᵀ for a force f at X
};

}  // namespace locdyn
