#include <locdyn/bodies/particle.hpp>

#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

Particle::Particle(double mass, const Eigen::Vector3d& position) : KinematicBody(3), mass_(mass), position_(position) {
  require_positive(mass, "mass");
  require_finite(position, "position");
}

Eigen::VectorXd Particle::configuration() const {
  return position_;
}

void Particle::set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) {
  require_configuration(q, 3);
  position_ = q;
  written();
}

void Particle::advance(double dt) {
  position_ += dt * velocity_;
}

void Particle::evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme) {
  free_velocity_ = velocity_ + h * (gravity + force_ / mass_);
}

void Particle::point_jacobian(const Eigen::Vector3d&, const Eigen::Matrix3d& frame, Eigen::Ref<PointJacobian> H) const {
  H = frame.transpose();
}

void Particle::spin_jacobian(const Eigen::Matrix3d&, Eigen::Ref<PointJacobian> H) const {
  H.setZero();
}

void Particle::apply_inverse_inertia(Eigen::Ref<Eigen::MatrixXd> X) const {
  X /= mass_;
}

Eigen::MatrixXd Particle::inertia() const {
  return mass_ * Eigen::Matrix3d::Identity();
}

Eigen::Vector3d Particle::to_space(const Eigen::Vector3d& X) const {
  return position_ + X;
}

Eigen::Vector3d Particle::to_body(const Eigen::Vector3d& x) const {
  return x - position_;
}

MaterialMotion Particle::point_motion(const Eigen::Vector3d& X) const {
  return {position_ + X, velocity_, Eigen::Vector3d::Zero()};
}

MaterialMotion Particle::direction_motion(const Eigen::Vector3d& D) const {
  return {D, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
}

void Particle::direction_jacobian(const Eigen::Vector3d&, Eigen::Ref<PointJacobian> H) const {
  H.setZero();
}

double Particle::kinetic_energy() const {
  return 0.5 * mass_ * velocity_.squaredNorm();
}

double Particle::potential_energy(const Eigen::Vector3d& gravity) const {
  return -mass_ * gravity.dot(position_);
}

void Particle::add_force(const Eigen::Vector3d& force, const Eigen::Vector3d&) {
  require_finite(force, "force");
  force_ += force;
  written();
}

void Particle::add_torque(const Eigen::Vector3d&) {
  throw std::logic_error("torque: expected a body that turns, found a particle");
}

void Particle::take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) {
  force_ += Q;
}

Eigen::VectorXd Particle::added_force() const {
  return force_;
}

Eigen::VectorXd Particle::smooth_force(const Eigen::Vector3d& gravity) const {
  return force_ + mass_ * gravity;
}

void Particle::clear_forces() {
  force_.setZero();
}

}  // namespace locdyn
