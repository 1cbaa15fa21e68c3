#pragma once
// A point of one body stays at a point of the other: a ball joint, with or without friction of its spin.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/point_joints.hpp>

namespace locdyn {

struct SceneFixedPoint {
  static constexpr std::string_view kType = "fixed_point";
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  SceneJointFriction friction = {};
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneFixedPoint& j) {
  v.required("point", j.point, "that the two share, in space at start [m]");
  describe_friction(v, j.friction, kAngleTerms);
}

inline void check(const SceneFixedPoint& j, const JointFaults& faults) {
  faults.require_friction(j.friction, FrictionOf::angle);
}

inline void check_in_mechanism(const SceneFixedPoint& j, const JointFaults& faults) {
  faults.require_no_friction(j.friction);
}

inline void build(const SceneFixedPoint& j, const JointBuilder& to) {
  if (j.friction.given) {
    to.add<BallJoint>("", to.on_master(j.point), to.on_slave(j.point), j.friction.friction);
  } else {
    to.add<FixedPoint>("", to.on_master(j.point), to.on_slave(j.point));
  }
}

}  // namespace locdyn::scene_format
