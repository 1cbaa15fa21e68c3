#pragma once
// A cylindrical joint: the bodies turn about one axis and slide along it.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>

namespace locdyn {

/// Turns about an axis and slides along it.
struct SceneCylindrical {
  static constexpr std::string_view kType = "cylindrical";
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitZ();
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneCylindrical& j) {
  v.required("point", j.point, kOnAxis);
  v.required("axis", j.axis, kAxis);
}

inline void check(const SceneCylindrical& j, const JointFaults& faults) {
  faults.require_direction(".axis", j.axis);
}

inline void build(const SceneCylindrical& j, const JointBuilder& to) {
  to.add<Cylindrical>("", to.master_axis(j.point, j.axis), to.slave_axis(j.point, j.axis));
}

}  // namespace locdyn::scene_format
