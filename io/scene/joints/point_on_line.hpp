#pragma once
// A point of the first body stays on a line that the second body carries.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/point_joints.hpp>

namespace locdyn {

struct ScenePointOnLine {
  static constexpr std::string_view kType = "point_on_line";
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), direction = Eigen::Vector3d::UnitZ();
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, ScenePointOnLine& j) {
  v.required("point", j.point, "of the first body, in space at start; the line goes through it [m]");
  v.required("direction", j.direction, "of the line, which the second body carries, in space at start");
}

inline void check(const ScenePointOnLine& j, const JointFaults& faults) {
  faults.require_direction(".direction", j.direction);
}

inline void build(const ScenePointOnLine& j, const JointBuilder& to) {
  const Axis line = to.master_axis(j.point, j.direction);
  const Anchor point = to.on_slave(j.point);
  to.planar ? to.add<PlanarPointOnLine>("", line, point) : to.add<PointOnLine>("", line, point);
}

}  // namespace locdyn::scene_format
