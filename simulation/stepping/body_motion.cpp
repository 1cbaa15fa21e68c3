#include <locdyn/simulation/stepping/body_motion.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

constexpr std::size_t kSummedAtOnce = 256;  // for one thread; their sums are added in order

BodyMotion rigid_motion(const RigidBody& body) {
  const Eigen::VectorXd& u = body.velocity();
  return {body.position(), u.tail<3>(), body.rotation() * u.head<3>()};
}

// J Ω once for energy and momentum; a rotation changes no length.
void add_rigid(const RigidBody& body, double extent, const Eigen::Vector3d& gravity, MotionTotals& totals) {
  const double* u = body.velocity().data();
  const Eigen::Vector3d omega = Eigen::Map<const Eigen::Vector3d>(u), v = Eigen::Map<const Eigen::Vector3d>(u + 3);
  const Eigen::Vector3d spin = body.rotational_inertia() * omega, momentum = body.mass() * v;
  totals.kinetic_energy += 0.5 * (omega.dot(spin) + v.dot(momentum));
  totals.potential_energy -= body.mass() * gravity.dot(body.position());
  totals.momentum += momentum;
  totals.angular_momentum += body.position().cross(momentum) + body.rotation() * spin;
  totals.largest_speed = std::max(totals.largest_speed, v.norm() + omega.norm() * extent);
}

void add_body(const Body& body, double extent, const Eigen::Vector3d& gravity, MotionTotals& totals) {
  if (const RigidBody* rigid = body.rigid()) return add_rigid(*rigid, extent, gravity, totals);
  totals.kinetic_energy += body.kinetic_energy();
  totals.potential_energy += body.potential_energy(gravity);
  if (body.freedoms() == 0) return;
  const BodyMotion motion = motion_of(body);
  const Eigen::Vector3d momentum = body.mass() * motion.velocity;
  totals.momentum += momentum;
  totals.angular_momentum += motion.centre.cross(momentum) + body.angular_momentum();
  totals.largest_speed =
      std::max(totals.largest_speed, motion.velocity.norm() + motion.angular_velocity.norm() * extent);
}

}  // namespace

BodyMotion motion_of(const Body& body) {
  if (const RigidBody* rigid = body.rigid()) return rigid_motion(*rigid);
  const Eigen::Vector3d centre = body.to_space(Eigen::Vector3d::Zero());
  if (body.freedoms() == 0) {
    const Eigen::Vector3d v = body.prescribed_velocity(centre);
    // v(x) = v + ω × (x − o): ω from three points.
    const Eigen::Vector3d x = body.prescribed_velocity(centre + Eigen::Vector3d::UnitX()) - v;
    const Eigen::Vector3d y = body.prescribed_velocity(centre + Eigen::Vector3d::UnitY()) - v;
    return {centre, v, {y.z(), -x.z(), x.y()}};
  }
  if (const KinematicBody* known = body.kinematics()) {
    return {centre, known->point_motion(Eigen::Vector3d::Zero()).velocity, body.angular_velocity()};
  }
  PointJacobian H(3, body.freedoms());
  body.point_jacobian(centre, Eigen::Matrix3d::Identity(), H);
  return {centre, H * body.velocity(), body.angular_velocity()};
}

MotionTotals motion_totals(const BodySet& bodies, std::span<const BodyId> ids, std::span<const double> extent,
                           const Eigen::Vector3d& gravity, int threads) {
  std::vector<MotionTotals> runs((ids.size() + kSummedAtOnce - 1) / kSummedAtOnce);
  in_parallel(std::ssize(runs), threads, 1, [&](std::int64_t run) {
    const std::size_t first = static_cast<std::size_t>(run) * kSummedAtOnce;
    for (const BodyId id : ids.subspan(first, std::min(kSummedAtOnce, ids.size() - first))) {
      add_body(bodies[id], extent[id], gravity, runs[run]);
    }
  });
  MotionTotals totals;
  for (const MotionTotals& run : runs) {
    totals.kinetic_energy += run.kinetic_energy;
    totals.potential_energy += run.potential_energy;
    totals.momentum += run.momentum;
    totals.angular_momentum += run.angular_momentum;
    totals.largest_speed = std::max(totals.largest_speed, run.largest_speed);
  }
  return totals;
}

}  // namespace locdyn::detail
