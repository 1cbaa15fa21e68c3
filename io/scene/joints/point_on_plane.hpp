#pragma once
// A point of the first body stays on a plane that the second body carries.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/point_joints.hpp>

namespace locdyn {

struct ScenePointOnPlane {
  static constexpr std::string_view kType = "point_on_plane";
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), normal = Eigen::Vector3d::UnitZ();
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, ScenePointOnPlane& j) {
  v.required("point", j.point, "of the first body, in space at start; the plane goes through it [m]");
  v.required("normal", j.normal, "of the plane, which the second body carries, in space at start");
}

inline void check(const ScenePointOnPlane& j, const JointFaults& faults) {
  faults.require_direction(".normal", j.normal);
}

inline void build(const ScenePointOnPlane& j, const JointBuilder& to) {
  to.add<PointOnPlane>("", to.master_axis(j.point, j.normal), to.on_slave(j.point));
}

}  // namespace locdyn::scene_format
