#include <locdyn/bodies/rotor.hpp>

#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

Rotor::Rotor(double inertia, double value) : KinematicBody(1), inertia_(inertia), value_(value) {
  require_positive(inertia, "inertia of a rotor");
  require_finite(value, "coordinate of a rotor");
}

Eigen::VectorXd Rotor::configuration() const {
  return Eigen::VectorXd::Constant(1, value_);
}

void Rotor::set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) {
  require_configuration(q, 1);
  value_ = q[0];
  written();
}

void Rotor::advance(double dt) {
  value_ += dt * velocity_[0];
}

void Rotor::evaluate_free_velocity(double h, const Eigen::Vector3d&, Scheme) {
  free_velocity_[0] = velocity_[0] + h * force_ / inertia_;
}

void Rotor::point_jacobian(const Eigen::Vector3d&, const Eigen::Matrix3d&, Eigen::Ref<PointJacobian> H) const {
  H.setZero();
}

void Rotor::spin_jacobian(const Eigen::Matrix3d&, Eigen::Ref<PointJacobian> H) const {
  H.setZero();
}

void Rotor::apply_inverse_inertia(Eigen::Ref<Eigen::MatrixXd> X) const {
  X /= inertia_;
}

Eigen::MatrixXd Rotor::inertia() const {
  return Eigen::MatrixXd::Constant(1, 1, inertia_);
}

Eigen::Vector3d Rotor::to_space(const Eigen::Vector3d& X) const {
  return X;
}

Eigen::Vector3d Rotor::to_body(const Eigen::Vector3d& x) const {
  return x;
}

MaterialMotion Rotor::point_motion(const Eigen::Vector3d& X) const {
  return {X, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
}

MaterialMotion Rotor::direction_motion(const Eigen::Vector3d& D) const {
  return point_motion(D);
}

void Rotor::direction_jacobian(const Eigen::Vector3d&, Eigen::Ref<PointJacobian> H) const {
  H.setZero();
}

double Rotor::kinetic_energy() const {
  return 0.5 * inertia_ * velocity_[0] * velocity_[0];
}

void Rotor::add_force(const Eigen::Vector3d& force, const Eigen::Vector3d&) {
  require_finite(force, "force");
}

void Rotor::add_torque(const Eigen::Vector3d&) {
  throw std::logic_error("torque: expected a body that turns in space, found a rotor: add a generalised force");
}

void Rotor::take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) {
  force_ += Q[0];
  written();
}

Eigen::VectorXd Rotor::added_force() const {
  return Eigen::VectorXd::Constant(1, force_);
}

Eigen::VectorXd Rotor::smooth_force(const Eigen::Vector3d&) const {
  return added_force();
}

void Rotor::clear_forces() {
  force_ = 0;
}

}  // namespace locdyn
