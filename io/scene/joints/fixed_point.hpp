#pragma once
// A point of one body stays at a point of the other: a ball joint.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>

namespace locdyn {

struct SceneFixedPoint {
  static constexpr std::string_view kType = "fixed_point";
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneFixedPoint& j) {
  v.required("point", j.point, "that the two share, in space at start [m]");
}

inline void build(const SceneFixedPoint& j, const JointBuilder& to) {
  to.add<FixedPoint>("", to.on_master(j.point), to.on_slave(j.point));
}

}  // namespace locdyn::scene_format
