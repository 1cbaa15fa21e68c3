#include <locdyn/bodies/obstacle.hpp>

#include <limits>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

Obstacle::Obstacle() : KinematicBody(0) {}

Obstacle::Obstacle(const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity,
                   const Eigen::Vector3d& origin)
    : KinematicBody(0) {
  set_motion(velocity, angular_velocity, origin);
}

void Obstacle::set_motion(const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity,
                          const Eigen::Vector3d& origin) {
  require_finite(velocity, "velocity");
  require_finite(angular_velocity, "angular velocity");
  require_finite(origin, "origin");
  linear_ = velocity;
  angular_ = angular_velocity;
  origin_ = origin;
  written();
}

Eigen::Vector3d Obstacle::prescribed_velocity(const Eigen::Vector3d& x) const {
  return linear_ + angular_.cross(x - origin_);
}

Eigen::VectorXd Obstacle::configuration() const {
  Eigen::VectorXd q(10);
  q << position_, coefficients(orientation_), origin_;
  return q;
}

void Obstacle::set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) {
  require_configuration(q, 10);
  orientation_ = orientation_of(q.segment<4>(3));
  rotation_ = orientation_.toRotationMatrix();
  position_ = q.head<3>();
  origin_ = q.tail<3>();
  written();
}

void Obstacle::advance(double dt) {
  // The axis is fixed in space and goes through the origin, which moves.
  if (angular_ != Eigen::Vector3d::Zero()) {
    const Orientation step = exponential(dt * angular_);
    position_ = origin_ + step * (position_ - origin_);
    orientation_ = step * orientation_;
    orientation_.normalize();
    rotation_ = orientation_.toRotationMatrix();
  }
  position_ += dt * linear_;
  origin_ += dt * linear_;
}

void Obstacle::evaluate_free_velocity(double, const Eigen::Vector3d&, Scheme) {}

void Obstacle::point_jacobian(const Eigen::Vector3d&, const Eigen::Matrix3d&, Eigen::Ref<PointJacobian>) const {}

void Obstacle::spin_jacobian(const Eigen::Matrix3d&, Eigen::Ref<PointJacobian>) const {}

void Obstacle::apply_inverse_inertia(Eigen::Ref<Eigen::MatrixXd>) const {}

Eigen::MatrixXd Obstacle::inertia() const {
  return Eigen::MatrixXd(0, 0);
}

Eigen::Vector3d Obstacle::to_space(const Eigen::Vector3d& X) const {
  return position_ + rotation_ * X;
}

Eigen::Vector3d Obstacle::to_body(const Eigen::Vector3d& x) const {
  return rotation_.transpose() * (x - position_);
}

MaterialMotion Obstacle::point_motion(const Eigen::Vector3d& X) const {
  const Eigen::Vector3d x = to_space(X);
  return {x, prescribed_velocity(x), angular_.cross(angular_.cross(x - origin_))};
}

MaterialMotion Obstacle::direction_motion(const Eigen::Vector3d& D) const {
  const Eigen::Vector3d d = rotation_ * D;
  const Eigen::Vector3d rate = angular_.cross(d);
  return {d, rate, angular_.cross(rate)};
}

void Obstacle::direction_jacobian(const Eigen::Vector3d&, Eigen::Ref<PointJacobian>) const {}

double Obstacle::mass() const {
  return std::numeric_limits<double>::infinity();
}

double Obstacle::potential_energy(const Eigen::Vector3d&) const {
  return 0;
}

void Obstacle::add_force(const Eigen::Vector3d&, const Eigen::Vector3d&) {}

void Obstacle::add_torque(const Eigen::Vector3d&) {}

void Obstacle::take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>&) {}

Eigen::VectorXd Obstacle::added_force() const {
  return {};
}

Eigen::VectorXd Obstacle::smooth_force(const Eigen::Vector3d&) const {
  return {};
}

Eigen::VectorXd Obstacle::configuration_rate() const {
  return Eigen::VectorXd::Zero(10);
}

void Obstacle::clear_forces() {}

}  // namespace locdyn
