#include <locdyn/bodies/planar_body.hpp>

#include <cmath>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

Eigen::Vector3d turned(double angle, const Eigen::Vector3d& X) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return {c * X[0] - s * X[1], s * X[0] + c * X[1], X[2]};
}

}  // namespace

PlanarBody::PlanarBody(double mass, double inertia_about_z, const Eigen::Vector2d& position, double angle)
    : KinematicBody(3), mass_(mass), moment_(inertia_about_z), position_(position[0], position[1], 0), angle_(angle) {
  require_positive(mass, "mass");
  require_positive(inertia_about_z, "inertia about z");
  require_finite(position, "position");
  require_finite(angle, "angle");
}

Eigen::VectorXd PlanarBody::configuration() const {
  return Eigen::Vector3d(position_.x(), position_.y(), angle_);
}

void PlanarBody::set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) {
  require_configuration(q, 3);
  position_ = {q[0], q[1], 0};
  angle_ = q[2];
  written();
}

void PlanarBody::advance(double dt) {
  position_.head<2>() += dt * velocity_.head<2>();
  angle_ += dt * velocity_[2];
}

void PlanarBody::evaluate_free_velocity(double h, const Eigen::Vector3d& gravity, Scheme) {
  free_velocity_ = velocity_;
  free_velocity_.head<2>() += h * (gravity.head<2>() + force_.head<2>() / mass_);
  free_velocity_[2] += h * force_[2] / moment_;
}

void PlanarBody::point_jacobian(const Eigen::Vector3d& x, const Eigen::Matrix3d& frame,
                                Eigen::Ref<PointJacobian> H) const {
  const Eigen::Vector3d r = x - position_;
  H.leftCols<2>() = frame.topRows<2>().transpose();
  H.col(2).noalias() = frame.transpose() * Eigen::Vector3d(-r[1], r[0], 0);
}

void PlanarBody::spin_jacobian(const Eigen::Matrix3d& frame, Eigen::Ref<PointJacobian> H) const {
  H.leftCols<2>().setZero();
  H.col(2) = frame.row(2).transpose();
}

void PlanarBody::apply_inverse_inertia(Eigen::Ref<Eigen::MatrixXd> X) const {
  X.topRows<2>() /= mass_;
  X.row(2) /= moment_;
}

Eigen::MatrixXd PlanarBody::inertia() const {
  return Eigen::Vector3d(mass_, mass_, moment_).asDiagonal();
}

Eigen::Vector3d PlanarBody::to_space(const Eigen::Vector3d& X) const {
  return position_ + turned(angle_, X);
}

Eigen::Vector3d PlanarBody::to_body(const Eigen::Vector3d& x) const {
  return turned(-angle_, x - position_);
}

MaterialMotion PlanarBody::point_motion(const Eigen::Vector3d& X) const {
  MaterialMotion motion = direction_motion(X);
  motion.value += position_;
  motion.velocity.head<2>() += velocity_.head<2>();
  return motion;
}

MaterialMotion PlanarBody::direction_motion(const Eigen::Vector3d& D) const {
  const Eigen::Vector3d d = turned(angle_, D);
  const double spin = velocity_[2];
  return {d, spin * Eigen::Vector3d(-d[1], d[0], 0), -spin * spin * Eigen::Vector3d(d[0], d[1], 0)};
}

void PlanarBody::direction_jacobian(const Eigen::Vector3d& D, Eigen::Ref<PointJacobian> H) const {
  const Eigen::Vector3d d = turned(angle_, D);
  H.leftCols<2>().setZero();
  H.col(2) = Eigen::Vector3d(-d[1], d[0], 0);
}

double PlanarBody::kinetic_energy() const {
  return 0.5 * (mass_ * velocity_.head<2>().squaredNorm() + moment_ * velocity_[2] * velocity_[2]);
}

double PlanarBody::potential_energy(const Eigen::Vector3d& gravity) const {
  return -mass_ * gravity.dot(position_);
}

void PlanarBody::add_force(const Eigen::Vector3d& force, const Eigen::Vector3d& x) {
  require_finite(force, "force");
  require_finite(x, "point of the force");
  const Eigen::Vector3d r = x - position_;
  force_ += Eigen::Vector3d(force[0], force[1], r[0] * force[1] - r[1] * force[0]);
  written();
}

void PlanarBody::add_torque(const Eigen::Vector3d& torque) {
  require_finite(torque, "torque");
  force_[2] += torque[2];
  written();
}

void PlanarBody::take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) {
  force_ += Q;
}

Eigen::VectorXd PlanarBody::added_force() const {
  return force_;
}

Eigen::VectorXd PlanarBody::smooth_force(const Eigen::Vector3d& gravity) const {
  return force_ + mass_ * Eigen::Vector3d(gravity[0], gravity[1], 0);
}

void PlanarBody::clear_forces() {
  force_.setZero();
}

}  // namespace locdyn
