#include <locdyn/sensitivity/body_linearisation.hpp>

#include <Eigen/LU>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>

namespace locdyn::detail {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

const Vector3d kAcross = Vector3d::UnitZ();  // the axis of planar bodies

// Q exp θ in the frame of Q, by θ and by what turns Q: δθ' = exp(−θ) δ + T(θ) δθ.
void set_turn(const Vector3d& theta, double dt, BodyMatrix& by_q, BodyMatrix& by_u) {
  by_q.topLeftCorner<3, 3>() = exponential_matrix(-theta);
  by_u.topLeftCorner<3, 3>() = dt * exponential_derivative(theta);
  by_q.bottomRightCorner<3, 3>().setIdentity();
  by_u.bottomRightCorner<3, 3>() = dt * Matrix3d::Identity();
}

// exp(τ Ω_f) J Ω_f = π, π = exp(−τ Ω) J Ω + h T, τ = h/2 (bodies/momentum_update.hpp).
void linearise_rotation(const Matrix3d& J, double h, BodyLinearisation& body) {
  const double tau = h / 2;
  const Vector3d omega = body.u.head<3>(), omega_free = body.u_free.head<3>();
  const Vector3d momentum = J * omega_free;
  const Matrix3d slope = J - tau * skew(momentum) * exponential_derivative(tau * omega_free);
  const Matrix3d inverse = slope.inverse();
  const Matrix3d back = exponential_matrix(-tau * omega_free), before = exponential_matrix(-tau * omega);
  const Vector3d turned = before * (J * omega);
  const Matrix3d by_omega = before * J + tau * skew(turned) * exponential_derivative(tau * omega);
  body.fu.topLeftCorner<3, 3>() = inverse * back * by_omega;
  body.ff.topLeftCorner<3, 3>() = h * inverse * back;
  const Matrix3d J_inverse = body.inverse_inertia.topLeftCorner<3, 3>();
  const Vector3d change = body.u_after.head<3>() - omega_free;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Vector3d e = Vector3d::Unit(i);
      body.by_inertia.block<3, 1>(0, 3 * i + j) =
          inverse * (back * (before * e) * omega[j] - e * omega_free[j]) - J_inverse * e * change[j];
    }
  }
}

void linearise_rigid(const RigidBody& rigid, double h, BodyLinearisation& body) {
  body.turns = true;
  set_turn(h / 2 * body.u.head<3>(), h / 2, body.qq, body.qu);
  set_turn(h / 2 * body.u_after.head<3>(), h / 2, body.pq, body.pu);
  linearise_rotation(rigid.inertia().topLeftCorner<3, 3>(), h, body);
  body.fu.bottomRightCorner<3, 3>().setIdentity();
  body.ff.bottomRightCorner<3, 3>() = h / rigid.mass() * Matrix3d::Identity();
  body.fg.bottomRows<3>() = h * Matrix3d::Identity();
}

void linearise_plain(double h, BodyLinearisation& body) {
  for (int k = 0; k < body.freedoms; ++k) {
    body.qq(k, k) = body.pq(k, k) = body.fu(k, k) = 1;
    body.qu(k, k) = body.pu(k, k) = h / 2;
  }
  body.ff = h * body.inverse_inertia;
  const int lengths = body.planar ? 2 : 3;
  for (int k = 0; k < lengths; ++k) body.fg(k, k) = h;
  if (body.planar) {
    const double inverse = body.inverse_inertia(2, 2);
    body.by_inertia(2, 8) = -inverse * (body.u_after[2] - body.u[2]);
  }
}

}  // namespace

PointMatrix BodyLinearisation::point(const Vector3d& x) const {
  PointMatrix J = PointMatrix::Zero();
  if (turns) {
    J.leftCols<3>() = -skew(x - center) * rotation;
    J.rightCols<3>().setIdentity();
  } else if (planar) {
    J(0, 0) = J(1, 1) = 1;
    J.col(2) = kAcross.cross(x - center);
  } else if (freedoms > 0) {
    J.leftCols<3>().setIdentity();
  }
  return J;
}

PointMatrix BodyLinearisation::spin() const {
  PointMatrix J = PointMatrix::Zero();
  if (turns) J.leftCols<3>() = rotation;
  if (planar) J.col(2) = kAcross;
  return J;
}

Vector3d BodyLinearisation::velocity(const BodyVector& w, const Vector3d& x) const {
  if (freedoms == 0) return obstacle_velocity + obstacle_spin.cross(x - center);
  return point(x) * w;
}

PointMatrix BodyLinearisation::velocity_by_q(const BodyVector& w, const Vector3d& x) const {
  PointMatrix J = PointMatrix::Zero();
  const Vector3d r = x - center;
  if (turns) {
    // Q (δθ × Ω) × r − (Q Ω) × δc
    J.leftCols<3>() = skew(r) * rotation * skew(w.head<3>());
    J.rightCols<3>() = -skew(rotation * w.head<3>());
  } else if (planar) {
    J.leftCols<2>() = -w[2] * skew(kAcross).leftCols<2>();
  }
  return J;
}

Matrix3d BodyLinearisation::velocity_by_x(const BodyVector& w) const {
  if (freedoms == 0) return skew(obstacle_spin);
  if (turns) return skew(rotation * w.head<3>());
  if (planar) return w[2] * skew(kAcross);
  return Matrix3d::Zero();
}

BodyMatrix BodyLinearisation::pull_by_q(const Vector3d& f, const Vector3d& x) const {
  BodyMatrix P = BodyMatrix::Zero();
  if (turns) {
    P.topLeftCorner<3, 3>() = skew(rotation.transpose() * (x - center).cross(f));
    P.topRightCorner<3, 3>() = rotation.transpose() * skew(f);
  } else if (planar) {
    P(2, 0) = -f[1];
    P(2, 1) = f[0];
  }
  return P;
}

Eigen::Matrix<double, kMostFreedoms, 3> BodyLinearisation::pull_by_x(const Vector3d& f) const {
  Eigen::Matrix<double, kMostFreedoms, 3> P = Eigen::Matrix<double, kMostFreedoms, 3>::Zero();
  if (turns) {
    P.topRows<3>() = -rotation.transpose() * skew(f);
  } else if (planar) {
    P(2, 0) = f[1];
    P(2, 1) = -f[0];
  }
  return P;
}

PointMatrix BodyLinearisation::spin_by_q(const BodyVector& w) const {
  PointMatrix J = PointMatrix::Zero();
  if (turns) J.leftCols<3>() = -rotation * skew(w.head<3>());
  return J;
}

BodyMatrix BodyLinearisation::twist_by_q(const Vector3d& moment) const {
  BodyMatrix P = BodyMatrix::Zero();
  if (turns) P.topLeftCorner<3, 3>() = skew(rotation.transpose() * moment);
  return P;
}

bool has_linearisation(const Body& body) {
  return dynamic_cast<const RigidBody*>(&body) != nullptr || dynamic_cast<const PlanarBody*>(&body) != nullptr ||
         dynamic_cast<const Particle*>(&body) != nullptr || dynamic_cast<const Obstacle*>(&body) != nullptr;
}

BodyLinearisation linearise_body(const Body& body, const BodyBefore& before, double h) {
  BodyLinearisation result;
  if (const auto* obstacle = dynamic_cast<const Obstacle*>(&body)) {
    Obstacle moved = *obstacle;
    moved.advance(-h / 2);  // from q⁺
    result.center = moved.to_space(Vector3d::Zero());
    for (int k = 0; k < 3; ++k) result.rotation.col(k) = moved.to_space(Vector3d::Unit(k)) - result.center;
    result.obstacle_velocity = moved.prescribed_velocity(result.center);
    for (int k = 0; k < 3; ++k) {
      const Vector3d e = Vector3d::Unit(k);
      result.obstacle_spin += 0.5 * e.cross(moved.prescribed_velocity(result.center + e) - result.obstacle_velocity);
    }
    return result;
  }
  const int n = body.freedoms();
  const auto* rigid = dynamic_cast<const RigidBody*>(&body);
  const auto* planar = dynamic_cast<const PlanarBody*>(&body);
  result.freedoms = n;
  result.planar = planar != nullptr;
  result.u.head(n) = before.u;
  result.u_free.head(n) = body.free_velocity();
  result.u_after.head(n) = body.velocity();
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(n, n);
  body.apply_inverse_inertia(inverse);
  result.inverse_inertia.topLeftCorner(n, n) = inverse;
  if (rigid != nullptr) {
    Orientation q = orientation_of(before.q.tail<4>());
    turn(q, h / 2 * before.u.head<3>());
    result.rotation = q.toRotationMatrix();
    result.center = before.q.head<3>() + h / 2 * before.u.tail<3>();
    linearise_rigid(*rigid, h, result);
  } else {
    const Vector3d q = before.q + h / 2 * before.u;
    result.center = planar != nullptr ? Vector3d(q[0], q[1], 0) : q;
    if (planar != nullptr) result.rotation = exponential_matrix(q[2] * kAcross);
    linearise_plain(h, result);
  }
  return result;
}

void add_load(const Eigen::VectorXd& load, const Eigen::VectorXd& force, double mass, double h,
              BodyLinearisation& body) {
  if (body.freedoms == 0) return;
  if (body.turns) body.fq.leftCols<3>() += body.ff.leftCols<3>() * skew(load.head<3>());
  // The linear part: h F/m in the free velocity, and the impulse over m.
  const int first = body.turns ? 3 : 0, count = body.planar ? 2 : 3;
  const BodyVector change = body.u_after - body.u_free;
  for (int k = first; k < first + count; ++k) body.by_mass[k] = -(h * force[k] / mass + change[k]) / mass;
}

}  // namespace locdyn::detail
