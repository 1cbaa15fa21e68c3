#include <locdyn/ldy/assembly/constraints/spatial/point_joints.hpp>

namespace locdyn {

BallJoint::BallJoint(const Anchor& master, const Anchor& slave, const JointFriction& friction)
    : Joint({slave.body, master.body}), given_master_(master), given_slave_(slave) {
  set_friction(friction, FrictionOf::angle);
}

void BallJoint::take_hold(const BodySet& bodies) {
  master_ = material_point(bodies, given_master_, "point on the master");
  slave_ = material_point(bodies, given_slave_, "point on the slave");
}

void BallJoint::measure(const BodyQuantities& at, JointRows& rows) const {
  rows.lengths(at.point(slave_) - at.point(master_));
  for (int i = 0; i < 3; ++i) {
    const VectorQuantity e = at.constant(Eigen::Vector3d::Unit(i));
    rows.angle_friction(dot(e, at.spin(given_slave_.body)) - dot(e, at.spin(given_master_.body)));
  }
}

PointOnLine::PointOnLine(const Axis& line, const Anchor& point)
    : Joint({point.body, line.body}), given_line_(line), given_point_(point) {}

void PointOnLine::take_hold(const BodySet& bodies) {
  line_ = hold(bodies, given_line_, "line");
  point_ = material_point(bodies, given_point_, "point");
}

void PointOnLine::measure(const BodyQuantities& at, JointRows& rows) const {
  const VectorQuantity d = at.point(point_) - at.point(line_.point);
  rows.length(dot(d, at.direction(line_.first)));
  rows.length(dot(d, at.direction(line_.second)));
}

PointOnPlane::PointOnPlane(const Axis& normal, const Anchor& point)
    : Joint({point.body, normal.body}), given_normal_(normal), given_point_(point) {}

void PointOnPlane::take_hold(const BodySet& bodies) {
  normal_ = hold(bodies, given_normal_, "normal of the plane");
  point_ = material_point(bodies, given_point_, "point");
}

void PointOnPlane::measure(const BodyQuantities& at, JointRows& rows) const {
  rows.length(dot(at.point(point_) - at.point(normal_.point), at.direction(normal_.along)));
}

}  // namespace locdyn
