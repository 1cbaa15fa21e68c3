#include <locdyn/forces/rotating_frame.hpp>

#include <Eigen/Geometry>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/pseudo_rigid_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/bodies/rotation.hpp>

namespace locdyn {
using namespace detail;
namespace {

// How the mass of a body lies about its mass centre c and moves: x = c + D X, v = ċ + Ḋ X, E₀ = ∫ X Xᵀ dm.
struct MassField {
  double mass;
  Eigen::Vector3d centre, velocity;
  Eigen::Matrix3d D, rate, euler;  // D, Ḋ, E₀
};

Eigen::Matrix3d rows_of(const Eigen::VectorXd& v) {
  Eigen::Matrix3d matrix;
  matrix << v.head<3>().transpose(), v.segment<3>(3).transpose(), v.segment<3>(6).transpose();
  return matrix;
}

// Of any kind that turns or deforms in space. Throws std::invalid_argument for a kind that is not known here.
MassField mass_field(const Body& body, BodyId id) {
  MassField field{body.mass(), body.to_space(Eigen::Vector3d::Zero()), {}, {}, {}, {}};
  const Eigen::VectorXd& u = body.velocity();
  if (const auto* rigid = dynamic_cast<const RigidBody*>(&body)) {
    const Eigen::Matrix3d J = body.inertia().topLeftCorner<3, 3>();
    field.velocity = u.tail<3>();
    field.D = rigid->rotation();
    field.rate = field.D * skew(u.head<3>());
    field.euler = 0.5 * J.trace() * Eigen::Matrix3d::Identity() - J;
  } else if (dynamic_cast<const PseudoRigidBody*>(&body) != nullptr) {
    field.velocity = u.tail<3>();
    field.D = rows_of(body.configuration());
    field.rate = rows_of(u);
    field.euler = body.inertia().topLeftCorner<3, 3>();
  } else {
    throw std::invalid_argument("body " + std::to_string(id) +
                                ": expected a particle, a planar, rigid or pseudo-rigid body, found another kind");
  }
  return field;
}

void require_along_z(const Eigen::Vector3d& v, const char* what, BodyId id) {
  if (v.x() == 0 && v.y() == 0) return;
  throw std::invalid_argument(std::string(what) + ": expected one along z for planar body " + std::to_string(id) +
                              ", found (" + spelled(v.x()) + ", " + spelled(v.y()) + ", " + spelled(v.z()) + ")");
}

}  // namespace

FrameRotation steady_rotation(const Eigen::Vector3d& velocity) {
  require_finite(velocity, "angular velocity of the frame");
  return {[velocity](double) { return velocity; }, nullptr};
}

RotatingFrame::RotatingFrame(FrameRotation rotation, const Eigen::Vector3d& origin, std::vector<BodyId> bodies)
    : rotation_(std::move(rotation)), origin_(origin), ids_(std::move(bodies)) {
  if (!rotation_.velocity) {
    throw std::invalid_argument("angular velocity of the frame: expected a function, found none");
  }
  require_finite(origin, "origin of the frame");
}

RotatingFrame::Motion RotatingFrame::motion_at(double time) const {
  Motion motion{rotation_.velocity(time), Eigen::Vector3d::Zero()};
  if (rotation_.acceleration) motion.acceleration = rotation_.acceleration(time);
  require_finite(motion.velocity, "angular velocity of the frame");
  require_finite(motion.acceleration, "angular acceleration of the frame");
  return motion;
}

// Bodies that move and have mass.
template <class Act>
void RotatingFrame::for_each(const BodySet& bodies, const Act& act) const {
  const auto act_on = [&](BodyId id) {
    if (bodies[id].freedoms() > 0 && bodies[id].mass() > 0) act(id);
  };
  if (!ids_.empty()) {
    for (const BodyId id : ids_) act_on(id);
  } else {
    for (const BodyId id : bodies.ids()) act_on(id);
  }
}

void RotatingFrame::add_to(BodySet& bodies) {
  const Motion motion = motion_at(bodies.time());
  const Eigen::Vector3d &velocity = motion.velocity, &acceleration = motion.acceleration;
  const Eigen::Matrix3d S = skew(velocity);
  const Eigen::Matrix3d K = S * S + skew(acceleration);  // the acceleration at x is K r + 2 S v
  for_each(bodies, [&](BodyId id) {
    Body& body = bodies[id];
    const Eigen::VectorXd& u = body.velocity();
    const Eigen::Vector3d r = body.to_space(Eigen::Vector3d::Zero()) - origin_;
    Eigen::VectorXd Q(body.freedoms());
    if (dynamic_cast<const Particle*>(&body) != nullptr) {
      Q = -body.mass() * (K * r + 2 * S * u);
    } else if (dynamic_cast<const PlanarBody*>(&body) != nullptr) {
      // E Ω is along z as the spin is: no Coriolis moment.
      require_along_z(velocity, "angular velocity of the frame", id);
      require_along_z(acceleration, "angular acceleration of the frame", id);
      const Eigen::Vector3d force = -body.mass() * (K * r + 2 * S * Eigen::Vector3d(u[0], u[1], 0));
      Q << force.head<2>(), -body.inertia()(2, 2) * acceleration.z();
    } else {
      // P = −∫ a Xᵀ dm works on Ḋ; of a rigid body, Ḋ = D [Ω_body]×, its axial part does.
      const MassField field = mass_field(body, id);
      const Eigen::Vector3d force = -field.mass * (K * r + 2 * S * field.velocity);
      const Eigen::Matrix3d P = -(K * field.D + 2 * S * field.rate) * field.euler;
      if (body.freedoms() == 6) {
        const Eigen::Matrix3d M = field.D.transpose() * P;
        Q << M(2, 1) - M(1, 2), M(0, 2) - M(2, 0), M(1, 0) - M(0, 1), force;
      } else {
        Q << P.row(0).transpose(), P.row(1).transpose(), P.row(2).transpose(), force;
      }
    }
    body.add_generalised_force(Q);
  });
}

double RotatingFrame::potential_energy(const BodySet& bodies) const {
  const Eigen::Vector3d velocity = motion_at(bodies.time()).velocity;
  const Eigen::Matrix3d S = skew(velocity);
  double energy = 0;
  for_each(bodies, [&](BodyId id) {
    const Body& body = bodies[id];
    energy -= 0.5 * body.mass() * (S * (body.to_space(Eigen::Vector3d::Zero()) - origin_)).squaredNorm();
    if (dynamic_cast<const Particle*>(&body) != nullptr) return;
    if (dynamic_cast<const PlanarBody*>(&body) != nullptr) {
      energy -= 0.5 * body.inertia()(2, 2) * velocity.squaredNorm();
      return;
    }
    const MassField field = mass_field(body, id);
    const Eigen::Matrix3d turned = S * field.D;
    energy -= 0.5 * (turned * field.euler * turned.transpose()).trace();
  });
  return energy;
}

}  // namespace locdyn
