#include <locdyn/bodies/rigid_body.hpp>

#include <Eigen/LU>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/momentum_update.hpp>

namespace locdyn {
using namespace detail;

RigidBody::RigidBody(const MassProperties& properties, const Eigen::Vector3d& position, const Orientation& orientation)
    : KinematicBody(6), mass_(properties.mass), position_(position), orientation_(unit_orientation(orientation)) {
  validate(properties);
  require_finite(position, "position");
  inertia_ = 0.5 * (properties.inertia + properties.inertia.transpose());
  inverse_inertia_ = inertia_.inverse();
  inverse_inertia_ = (0.5 * (inverse_inertia_ + inverse_inertia_.transpose())).eval();
  rotation_ = orientation_.toRotationMatrix();
  isotropic_ = inertia_ == Eigen::Matrix3d(inertia_(0, 0) * Eigen::Matrix3d::Identity());
}

Eigen::Vector3d RigidBody::angular_momentum() const {
  return rotation_ * (inertia_ * velocity_.head<3>());
}

Eigen::Vector3d RigidBody::angular_velocity() const {
  return rotation_ * velocity_.head<3>();
}

Eigen::VectorXd RigidBody::configuration() const {
  Eigen::VectorXd q;
  read_configuration(q);
  return q;
}

void RigidBody::read_configuration(Eigen::VectorXd& q) const {
  q.resize(7);
  q << position_, coefficients(orientation_);
}

void RigidBody::set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) {
  require_configuration(q, 7);
  orientation_ = orientation_of(q.tail<4>());
  rotation_ = orientation_.toRotationMatrix();
  position_ = q.head<3>();
  written();
}

// Turned by a vector in the body frame, and shifted in space.
void RigidBody::move(const Eigen::Vector3d& rotation, const Eigen::Vector3d& shift) {
  turn(orientation_, rotation);
  rotation_ = orientation_.toRotationMatrix();
  position_ += shift;
}

void RigidBody::advance(double dt) {
  move(dt * velocity_.head<3>(), dt * velocity_.tail<3>());
}

void RigidBody::take_displacement(const Eigen::Ref<const Eigen::VectorXd>& d) {
  move(d.head<3>(), d.tail<3>());
}

void RigidBody::evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme scheme) {
  const Eigen::Vector3d impulse = h * (rotation_.transpose() * torque_);
  free_velocity_.head<3>() = momentum_keeping_velocity(inertia_, velocity_.head<3>(), impulse, part_before(scheme) * h,
                                                       part_after(scheme) * h);
  predict_centre(h, gravity);
}

void RigidBody::predict_centre(double h, const Eigen::Vector3d& gravity) {
  free_velocity_.tail<3>() = velocity_.tail<3>() + h * (gravity + force_ / mass_);
}

void RigidBody::point_jacobian(const Eigen::Vector3d& x, const Eigen::Matrix3d& frame,
                               Eigen::Ref<PointJacobian> H) const {
  H.leftCols<3>() = turning_jacobian(x, frame);
  H.rightCols<3>() = frame.transpose();
}

void RigidBody::spin_jacobian(const Eigen::Matrix3d& frame, Eigen::Ref<PointJacobian> H) const {
  H.leftCols<3>().noalias() = frame.transpose() * rotation_;
  H.rightCols<3>().setZero();
}

void RigidBody::apply_inverse_inertia(Eigen::Ref<Eigen::MatrixXd> X) const {
  for (Eigen::Index column = 0; column < X.cols(); ++column) {
    const Eigen::Vector3d turned = inverse_inertia_ * X.col(column).head<3>();
    X.col(column).head<3>() = turned;
    X.col(column).tail<3>() /= mass_;
  }
}

Eigen::MatrixXd RigidBody::inertia() const {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(6, 6);
  A.topLeftCorner<3, 3>() = inertia_;
  A.bottomRightCorner<3, 3>() = mass_ * Eigen::Matrix3d::Identity();
  return A;
}

Eigen::Vector3d RigidBody::to_space(const Eigen::Vector3d& X) const {
  return position_ + rotation_ * X;
}

Eigen::Vector3d RigidBody::to_body(const Eigen::Vector3d& x) const {
  return rotation_.transpose() * (x - position_);
}

MaterialMotion RigidBody::point_motion(const Eigen::Vector3d& X) const {
  MaterialMotion motion = direction_motion(X);
  motion.value += position_;
  motion.velocity += velocity_.tail<3>();
  return motion;
}

// ḋ = Q (Ω × D), and d̈ = Q (Ω × (Ω × D)) while Ω does not change.
MaterialMotion RigidBody::direction_motion(const Eigen::Vector3d& D) const {
  const Eigen::Vector3d omega = velocity_.head<3>();
  const Eigen::Vector3d rate = omega.cross(D);
  return {rotation_ * D, rotation_ * rate, rotation_ * omega.cross(rate)};
}

void RigidBody::direction_jacobian(const Eigen::Vector3d& D, Eigen::Ref<PointJacobian> H) const {
  H.leftCols<3>().noalias() = -rotation_ * skew(D);
  H.rightCols<3>().setZero();
}

double RigidBody::kinetic_energy() const {
  const Eigen::Vector3d omega = velocity_.head<3>();
  return 0.5 * (omega.dot(inertia_ * omega) + mass_ * velocity_.tail<3>().squaredNorm());
}

double RigidBody::potential_energy(const Eigen::Vector3d& gravity) const {
  return -mass_ * gravity.dot(position_);
}

void RigidBody::add_force(const Eigen::Vector3d& force, const Eigen::Vector3d& x) {
  require_finite(force, "force");
  require_finite(x, "point of the force");
  force_ += force;
  torque_ += (x - position_).cross(force);
  written();
}

void RigidBody::add_torque(const Eigen::Vector3d& torque) {
  require_finite(torque, "torque");
  torque_ += torque;
  written();
}

void RigidBody::take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) {
  torque_ += rotation_ * Q.head<3>();
  force_ += Q.tail<3>();
}

Eigen::VectorXd RigidBody::added_force() const {
  Eigen::VectorXd Q(6);
  Q << rotation_.transpose() * torque_, force_;
  return Q;
}

Eigen::VectorXd RigidBody::smooth_force(const Eigen::Vector3d& gravity) const {
  const Eigen::Vector3d omega = velocity_.head<3>();
  Eigen::VectorXd f(6);
  f << rotation_.transpose() * torque_ - omega.cross(inertia_ * omega), force_ + mass_ * gravity;
  return f;
}

Eigen::VectorXd RigidBody::configuration_rate() const {
  const Eigen::Vector3d omega = velocity_.head<3>();
  const Orientation rate = orientation_ * Orientation(0, 0.5 * omega[0], 0.5 * omega[1], 0.5 * omega[2]);
  Eigen::VectorXd q(7);
  q << velocity_.tail<3>(), coefficients(rate);
  return q;
}

void RigidBody::clear_forces() {
  force_.setZero();
  torque_.setZero();
}

}  // namespace locdyn
