#pragma once
// A screw: the bodies slide along an axis in proportion to their turn about it.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>

namespace locdyn {

/// Turns about an axis and slides along it by the pitch for each turn.
struct SceneScrew {
  static constexpr std::string_view kType = "screw";
  static constexpr FrictionOf kCoordinate = FrictionOf::angle;
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitZ();
  double pitch = 0;       ///< [m]
  SceneDrive drive = {};  ///< of the angle
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneScrew& j) {
  v.required("point", j.point, kOnAxis);
  v.required("axis", j.axis, kAxis);
  v.required("pitch", j.pitch, "along the axis for each turn about it, by the right hand; not 0 [m]");
  describe_drive(v, j.drive, drive_terms(j.kCoordinate));
}

inline void check(const SceneScrew& j, const JointFaults& faults) {
  faults.require_direction(".axis", j.axis);
  faults.require_not_zero(".pitch", j.pitch);
  faults.require_drive(j.kCoordinate, j.drive);
}

inline void build(const SceneScrew& j, const JointBuilder& to) {
  to.add<Screw>("", to.master_axis(j.point, j.axis), to.slave_axis(j.point, j.axis), j.pitch, to.friction_of(j.drive));
  to.add_drive(to.turn(j.point, j.axis), j.drive);
}

inline Coordinate coordinate(const SceneScrew& j, const JointBodies& bodies) {
  return bodies.turn(j.point, j.axis);
}

}  // namespace locdyn::scene_format
