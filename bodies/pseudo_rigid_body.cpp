#include <locdyn/bodies/pseudo_rigid_body.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/rotation.hpp>

namespace locdyn {
using namespace detail;

PseudoRigidBody::PseudoRigidBody(double mass, const Eigen::Matrix3d& euler_tensor, const ElasticMaterial& material,
                                 double volume, const Eigen::Vector3d& position, const Eigen::Matrix3d& F)
    : KinematicBody(12), mass_(mass), volume_(volume), material_(material), position_(position), F_(F) {
  require_positive(mass, "mass");
  require_positive_definite(euler_tensor, "Euler tensor");
  validate(material);
  require_positive(volume, "volume");
  require_finite(position, "position");
  require_finite(F, "deformation gradient");
  require_positive(F.determinant(), "determinant of the deformation gradient");
  euler_ = 0.5 * (euler_tensor + euler_tensor.transpose());
  inverse_euler_ = euler_.inverse();
  inverse_euler_ = (0.5 * (inverse_euler_ + inverse_euler_.transpose())).eval();
}

double PseudoRigidBody::strain_energy() const {
  return volume_ * strain_energy_density(material_, F_);
}

double PseudoRigidBody::stable_step() const {
  // K = V ∂²ψ/∂F² (9×9), one column for each entry of F, row by row.
  Eigen::Matrix<double, 9, 9> K;
  for (int entry = 0; entry < 9; ++entry) {
    Eigen::Matrix3d dF = Eigen::Matrix3d::Zero();
    dF(entry / 3, entry % 3) = 1;
    const Eigen::Matrix3d dP = volume_ * stress_change(material_, F_, dF);
    for (Eigen::Index row = 0; row < 3; ++row) K.col(entry).segment<3>(3 * row) = dP.row(row).transpose();
  }
  const Eigen::MatrixXd A = inertia().topLeftCorner<9, 9>();
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(K, A, Eigen::EigenvaluesOnly);
  const double largest = modes.eigenvalues()[8];
  return largest > 0 ? 2 / std::sqrt(largest) : std::numeric_limits<double>::infinity();
}

Eigen::VectorXd PseudoRigidBody::configuration() const {
  Eigen::VectorXd q(12);
  q << F_.row(0).transpose(), F_.row(1).transpose(), F_.row(2).transpose(), position_;
  return q;
}

void PseudoRigidBody::set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) {
  require_configuration(q, 12);
  F_ << q.head<3>().transpose(), q.segment<3>(3).transpose(), q.segment<3>(6).transpose();
  position_ = q.tail<3>();
}

Eigen::Vector3d PseudoRigidBody::angular_momentum() const {
  // ∫ρ (F X) × (Ḟ X) from M = ∫ρ Ḟ X (F X)ᵀ.
  Eigen::Matrix3d rate;
  rate << velocity_.head<3>().transpose(), velocity_.segment<3>(3).transpose(), velocity_.segment<3>(6).transpose();
  const Eigen::Matrix3d M = rate * euler_ * F_.transpose();
  return {M(2, 1) - M(1, 2), M(0, 2) - M(2, 0), M(1, 0) - M(0, 1)};
}

void PseudoRigidBody::advance(double dt) {
  for (Eigen::Index row = 0; row < 3; ++row) F_.row(row) += dt * velocity_.segment<3>(3 * row).transpose();
  position_ += dt * velocity_.tail<3>();
}

void PseudoRigidBody::evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme) {
  const double determinant = F_.determinant();
  if (!(determinant > 0)) {
    throw std::runtime_error("deformation gradient: expected a determinant > 0, found " + spelled(determinant) +
                             ": the step is too large for the load");
  }
  const Eigen::Matrix3d change = h * (moment_ - volume_ * stress(material_, F_)) * inverse_euler_;
  for (Eigen::Index row = 0; row < 3; ++row) {
    free_velocity_.segment<3>(3 * row) = velocity_.segment<3>(3 * row) + change.row(row).transpose();
  }
  free_velocity_.tail<3>() = velocity_.tail<3>() + h * (gravity + force_ / mass_);
}

void PseudoRigidBody::point_jacobian(const Eigen::Vector3d& x, const Eigen::Matrix3d& frame,
                                     Eigen::Ref<PointJacobian> H) const {
  const Eigen::RowVector3d X = to_body(x).transpose();
  for (Eigen::Index row = 0; row < 3; ++row) H.middleCols<3>(3 * row).noalias() = frame.row(row).transpose() * X;
  H.rightCols<3>() = frame.transpose();
}

void PseudoRigidBody::spin_jacobian(const Eigen::Matrix3d& frame, Eigen::Ref<PointJacobian> H) const {
  // L = Ḟ F⁻¹ has the axis ω = ½ Σ_i (Lᵀ e_i) × e_i, where Lᵀ e_i = F⁻ᵀ (row i of Ḟ)ᵀ.
  const Eigen::Matrix3d inverse_transposed = F_.inverse().transpose();
  for (Eigen::Index row = 0; row < 3; ++row) {
    const Eigen::Matrix3d turn_row = -0.5 * skew(Eigen::Vector3d::Unit(row)) * inverse_transposed;
    H.middleCols<3>(3 * row).noalias() = frame.transpose() * turn_row;
  }
  H.rightCols<3>().setZero();
}

void PseudoRigidBody::apply_inverse_inertia(Eigen::Ref<Eigen::MatrixXd> X) const {
  for (Eigen::Index column = 0; column < X.cols(); ++column) {
    for (Eigen::Index row = 0; row < 3; ++row) {
      const Eigen::Vector3d part = inverse_euler_ * X.col(column).segment<3>(3 * row);
      X.col(column).segment<3>(3 * row) = part;
    }
    X.col(column).tail<3>() /= mass_;
  }
}

Eigen::MatrixXd PseudoRigidBody::inertia() const {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(12, 12);
  for (Eigen::Index row = 0; row < 3; ++row) A.block<3, 3>(3 * row, 3 * row) = euler_;
  A.bottomRightCorner<3, 3>() = mass_ * Eigen::Matrix3d::Identity();
  return A;
}

Eigen::Vector3d PseudoRigidBody::to_space(const Eigen::Vector3d& X) const {
  return position_ + F_ * X;
}

Eigen::Vector3d PseudoRigidBody::to_body(const Eigen::Vector3d& x) const {
  return F_.inverse() * (x - position_);
}

MaterialMotion PseudoRigidBody::point_motion(const Eigen::Vector3d& X) const {
  MaterialMotion motion = direction_motion(X);
  motion.value += position_;
  motion.velocity += velocity_.tail<3>();
  return motion;
}

MaterialMotion PseudoRigidBody::direction_motion(const Eigen::Vector3d& D) const {
  MaterialMotion motion{F_ * D, {}, Eigen::Vector3d::Zero()};
  for (Eigen::Index row = 0; row < 3; ++row) motion.velocity[row] = velocity_.segment<3>(3 * row).dot(D);
  return motion;
}

void PseudoRigidBody::direction_jacobian(const Eigen::Vector3d& D, Eigen::Ref<PointJacobian> H) const {
  H.setZero();
  for (Eigen::Index row = 0; row < 3; ++row) H.block<1, 3>(row, 3 * row) = D.transpose();
}

double PseudoRigidBody::potential_energy(const Eigen::Vector3d& gravity) const {
  return strain_energy() - mass_ * gravity.dot(position_);
}

void PseudoRigidBody::add_force(const Eigen::Vector3d& force, const Eigen::Vector3d& x) {
  require_finite(force, "force");
  require_finite(x, "point of the force");
  force_ += force;
  moment_ += force * to_body(x).transpose();
}

void PseudoRigidBody::add_torque(const Eigen::Vector3d& torque) {
  require_finite(torque, "torque");
  // T·ω = ½ [T]× : Ḟ F⁻¹.
  moment_ += 0.5 * skew(torque) * F_.inverse().transpose();
}

void PseudoRigidBody::take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) {
  for (Eigen::Index row = 0; row < 3; ++row) moment_.row(row) += Q.segment<3>(3 * row).transpose();
  force_ += Q.tail<3>();
}

Eigen::VectorXd PseudoRigidBody::added_force() const {
  Eigen::VectorXd Q(12);
  Q << moment_.row(0).transpose(), moment_.row(1).transpose(), moment_.row(2).transpose(), force_;
  return Q;
}

Eigen::VectorXd PseudoRigidBody::smooth_force(const Eigen::Vector3d& gravity) const {
  const Eigen::Matrix3d moment = moment_ - volume_ * stress(material_, F_);
  Eigen::VectorXd f(12);
  f << moment.row(0).transpose(), moment.row(1).transpose(), moment.row(2).transpose(), force_ + mass_ * gravity;
  return f;
}

void PseudoRigidBody::clear_forces() {
  force_.setZero();
  moment_.setZero();
}

}  // namespace locdyn
