#pragma once
// A universal (Cardan) joint: two axes, one of each body, meet at right angles.

#include <Eigen/Core>
#include <array>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>

namespace locdyn {

/// Turns about an axis of each body.
struct SceneUniversal {
  static constexpr std::string_view kType = "universal";
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  std::array<Eigen::Vector3d, 2> axes = {Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY()};
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneUniversal& j) {
  v.required("point", j.point, "where the axes meet, in space at start [m]");
  v.required("axes", j.axes, "of the first body and of the second, at right angles, in space at start");
}

inline void check(const SceneUniversal& j, const JointFaults& faults) {
  faults.require_across(".axes", j.axes[0], j.axes[1], "two directions at right angles");
}

inline void build(const SceneUniversal& j, const JointBuilder& to) {
  to.add<Universal>("", to.master_axis(j.point, j.axes[1]), to.slave_axis(j.point, j.axes[0]));
}

}  // namespace locdyn::scene_format
