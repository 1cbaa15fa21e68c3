#pragma once
// A planar joint: a plane of the first body slides on a plane of the second.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>

namespace locdyn {

/// Slides along a plane in two directions and turns about its normal.
struct ScenePlaneOnPlane {
  static constexpr std::string_view kType = "planar";
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), normal = Eigen::Vector3d::UnitZ();
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, ScenePlaneOnPlane& j) {
  v.required("point", j.point, "in the plane, in space at start [m]");
  v.required("normal", j.normal, "of the plane, in space at start, of any length > 0");
}

inline void check(const ScenePlaneOnPlane& j, const JointFaults& faults) {
  faults.require_direction(".normal", j.normal);
}

inline void build(const ScenePlaneOnPlane& j, const JointBuilder& to) {
  to.add<PlaneOnPlane>("", to.master_axis(j.point, j.normal), to.slave_axis(j.point, j.normal));
}

}  // namespace locdyn::scene_format
