#pragma once
// A hinge (revolute joint): the bodies turn against each other about one axis.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>

namespace locdyn {

/// Turns about an axis.
struct SceneHinge {
  static constexpr std::string_view kType = "hinge";
  static constexpr FrictionOf kCoordinate = FrictionOf::angle;
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitZ();
  SceneDrive drive = {};
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneHinge& j) {
  v.required("point", j.point, kOnAxis);
  v.required("axis", j.axis, kAxis);
  describe_drive(v, j.drive, drive_terms(j.kCoordinate));
}

inline void check(const SceneHinge& j, const JointFaults& faults) {
  faults.require_direction(".axis", j.axis);
  faults.require_drive(j.kCoordinate, j.drive);
}

inline void build(const SceneHinge& j, const JointBuilder& to) {
  if (to.planar) {
    to.require_z(j.axis, "axis");
    to.add<PlanarRevolute>("", to.on_master(j.point), to.on_slave(j.point), to.friction_of(j.drive));
  } else {
    to.add<Hinge>("", to.master_axis(j.point, j.axis), to.slave_axis(j.point, j.axis), to.friction_of(j.drive));
  }
  to.add_drive(to.turn(j.point, j.axis), j.drive);
}

inline Coordinate coordinate(const SceneHinge& j, const JointBodies& bodies) {
  return bodies.turn(j.point, j.axis);
}

}  // namespace locdyn::scene_format
