#include <locdyn/simulation/stepping/body_motion.hpp>

#include <Eigen/Geometry>
#include <algorithm>

#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>

namespace locdyn::detail {

BodyMotion motion_of(const Body& body) {
  if (const RigidBody* rigid = body.rigid()) return {rigid->velocity().tail<3>(), rigid->angular_velocity()};
  const Eigen::Vector3d centre = body.to_space(Eigen::Vector3d::Zero());
  if (body.freedoms() == 0) {
    const Eigen::Vector3d v = body.prescribed_velocity(centre);
    // v(x) = v + ω × (x − o): ω from three points.
    const Eigen::Vector3d x = body.prescribed_velocity(centre + Eigen::Vector3d::UnitX()) - v;
    const Eigen::Vector3d y = body.prescribed_velocity(centre + Eigen::Vector3d::UnitY()) - v;
    return {v, {y.z(), -x.z(), x.y()}};
  }
  if (const KinematicBody* known = body.kinematics()) {
    return {known->point_motion(Eigen::Vector3d::Zero()).velocity, body.angular_velocity()};
  }
  PointJacobian H(3, body.freedoms());
  body.point_jacobian(centre, Eigen::Matrix3d::Identity(), H);
  return {H * body.velocity(), body.angular_velocity()};
}

MotionTotals motion_totals(const BodySet& bodies, std::span<const BodyId> ids, std::span<const double> extent) {
  MotionTotals totals;
  for (const BodyId id : ids) {
    const Body& body = bodies[id];
    if (body.freedoms() == 0) continue;
    const BodyMotion motion = motion_of(body);
    const Eigen::Vector3d momentum = body.mass() * motion.velocity;
    totals.momentum += momentum;
    totals.angular_momentum += body.to_space(Eigen::Vector3d::Zero()).cross(momentum) + body.angular_momentum();
    totals.largest_speed =
        std::max(totals.largest_speed, motion.velocity.norm() + motion.angular_velocity.norm() * extent[id]);
  }
  return totals;
}

}  // namespace locdyn::detail
