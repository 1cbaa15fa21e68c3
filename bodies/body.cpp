#include <locdyn/bodies/body.hpp>

#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>

namespace locdyn {
using namespace detail;
namespace {

[[noreturn]] void not_of_size(Eigen::Index size, int freedoms, const char* what) {
  throw std::invalid_argument(std::string(what) + ": expected " + std::to_string(freedoms) + " numbers, found " +
                              std::to_string(size));
}

inline void require_size(const Eigen::Ref<const Eigen::VectorXd>& values, int freedoms, const char* what) {
  if (values.size() != freedoms) [[unlikely]] {
    not_of_size(values.size(), freedoms, what);
  }
}

}  // namespace

void Body::set_velocity(const Eigen::Ref<const Eigen::VectorXd>& u) {
  require_size(u, freedoms(), "velocity");
  require_finite(u, "velocity");
  velocity_ = u;
  written();
}

void Body::displace(const Eigen::Ref<const Eigen::VectorXd>& d) {
  require_size(d, freedoms(), "displacement");
  require_finite(d, "displacement");
  take_displacement(d);
}

void Body::take_displacement(const Eigen::Ref<const Eigen::VectorXd>& d) {
  Eigen::VectorXd u = d;
  velocity_.swap(u);
  advance(1);
  velocity_.swap(u);
}

void Body::predict(double h, const Eigen::Vector3d& gravity, Scheme scheme) {
  require_positive(h, "step");
  require_finite(gravity, "gravity");
  evaluate_free_velocity(h, gravity, scheme);
}

void Body::receive_impulse(const Eigen::Ref<const Eigen::VectorXd>& impulse) {
  require_size(impulse, freedoms(), "impulse");
  if (const RigidBody* known = rigid()) {  // as below, of fixed sizes
    const Eigen::Vector3d turned = known->inverse_inertia() * impulse.head<3>();
    velocity_.head<3>() = turned + free_velocity_.head<3>();
    velocity_.tail<3>() = impulse.tail<3>() / known->mass() + free_velocity_.tail<3>();
    return;
  }
  velocity_ = impulse;
  apply_inverse_inertia(velocity_);
  velocity_ += free_velocity_;
}

// Adding 0 makes 0 of −0, as adding A⁻¹ 0 does.
void Body::receive_no_impulse() {
  velocity_ = free_velocity_.array() + 0.0;
}

void Body::add_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) {
  require_size(Q, freedoms(), "generalised force");
  require_finite(Q, "generalised force");
  take_generalised_force(Q);
  written();
}

Eigen::Vector3d Body::prescribed_velocity(const Eigen::Vector3d&) const {
  return Eigen::Vector3d::Zero();
}

Eigen::Vector3d Body::velocity_at(const Eigen::Vector3d& x) const {
  if (freedoms() == 0) return prescribed_velocity(x);
  if (const KinematicBody* known = kinematics()) return known->point_motion(to_body(x)).velocity;
  PointJacobian H(3, freedoms());
  point_jacobian(x, Eigen::Matrix3d::Identity(), H);
  return H * velocity_;
}

Eigen::Vector3d Body::angular_velocity() const {
  if (freedoms() == 0) return Eigen::Vector3d::Zero();
  PointJacobian H(3, freedoms());
  spin_jacobian(Eigen::Matrix3d::Identity(), H);
  return H * velocity_;
}

double Body::kinetic_energy() const {
  return 0.5 * velocity_.dot(inertia() * velocity_);
}

}  // namespace locdyn
