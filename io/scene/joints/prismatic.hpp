#pragma once
// A prismatic joint: the bodies slide against each other along one axis and do not turn.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>

namespace locdyn {

/// Slides along an axis.
struct ScenePrismatic {
  static constexpr std::string_view kType = "prismatic";
  static constexpr FrictionOf kCoordinate = FrictionOf::length;
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitZ();
  SceneDrive drive = {};
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, ScenePrismatic& j) {
  v.required("point", j.point, kOnAxis);
  v.required("axis", j.axis, kAxis);
  describe_drive(v, j.drive, drive_terms(j.kCoordinate));
}

inline void check(const ScenePrismatic& j, const JointFaults& faults) {
  faults.require_direction(".axis", j.axis);
  faults.require_drive(j.kCoordinate, j.drive);
}

inline void build(const ScenePrismatic& j, const JointBuilder& to) {
  const Axis master = to.master_axis(j.point, j.axis), slave = to.slave_axis(j.point, j.axis);
  const auto friction = to.friction_of(j.drive);
  to.planar ? to.add<PlanarPrismatic>("", master, slave, friction) : to.add<Prismatic>("", master, slave, friction);
  to.add_drive(to.slide(j.point, j.axis), j.drive);
}

inline Coordinate coordinate(const ScenePrismatic& j, const JointBodies& bodies) {
  return bodies.slide(j.point, j.axis);
}

}  // namespace locdyn::scene_format
