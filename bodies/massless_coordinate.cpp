#include <locdyn/bodies/massless_coordinate.hpp>

#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

MasslessCoordinate::MasslessCoordinate(double value) : KinematicBody(1), value_(value) {
  require_finite(value, "coordinate");
}

Eigen::VectorXd MasslessCoordinate::configuration() const {
  return Eigen::VectorXd::Constant(1, value_);
}

void MasslessCoordinate::set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) {
  require_configuration(q, 1);
  value_ = q[0];
}

void MasslessCoordinate::advance(double dt) {
  value_ += dt * velocity_[0];
}

void MasslessCoordinate::evaluate_free_velocity(double, const Eigen::Vector3d&, Scheme) {
  throw std::runtime_error("free velocity: expected a body with mass, found a coordinate without: eliminate it");
}

void MasslessCoordinate::point_jacobian(const Eigen::Vector3d&, const Eigen::Matrix3d&,
                                        Eigen::Ref<PointJacobian> H) const {
  H.setZero();
}

void MasslessCoordinate::spin_jacobian(const Eigen::Matrix3d&, Eigen::Ref<PointJacobian> H) const {
  H.setZero();
}

void MasslessCoordinate::apply_inverse_inertia(Eigen::Ref<Eigen::MatrixXd> X) const {
  X.setZero();
}

Eigen::MatrixXd MasslessCoordinate::inertia() const {
  return Eigen::MatrixXd::Zero(1, 1);
}

Eigen::Vector3d MasslessCoordinate::to_space(const Eigen::Vector3d& X) const {
  return X;
}

Eigen::Vector3d MasslessCoordinate::to_body(const Eigen::Vector3d& x) const {
  return x;
}

MaterialMotion MasslessCoordinate::point_motion(const Eigen::Vector3d& X) const {
  return {X, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
}

MaterialMotion MasslessCoordinate::direction_motion(const Eigen::Vector3d& D) const {
  return point_motion(D);
}

void MasslessCoordinate::direction_jacobian(const Eigen::Vector3d&, Eigen::Ref<PointJacobian> H) const {
  H.setZero();
}

double MasslessCoordinate::potential_energy(const Eigen::Vector3d&) const {
  return 0;
}

void MasslessCoordinate::add_force(const Eigen::Vector3d&, const Eigen::Vector3d&) {
  throw std::logic_error("force: expected a body with mass, found a coordinate without");
}

void MasslessCoordinate::add_torque(const Eigen::Vector3d&) {
  throw std::logic_error("torque: expected a body with mass, found a coordinate without");
}

void MasslessCoordinate::take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>&) {
  throw std::logic_error("generalised force: expected a body with mass, found a coordinate without");
}

Eigen::VectorXd MasslessCoordinate::added_force() const {
  return Eigen::VectorXd::Zero(1);
}

Eigen::VectorXd MasslessCoordinate::smooth_force(const Eigen::Vector3d&) const {
  return Eigen::VectorXd::Zero(1);
}

void MasslessCoordinate::clear_forces() {}

}  // namespace locdyn
