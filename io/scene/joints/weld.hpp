#pragma once
// A weld: the bodies do not move against each other.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>

namespace locdyn {

/// No relative motion.
struct SceneWeld {
  static constexpr std::string_view kType = "weld";
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneWeld& j) {
  v.required("point", j.point, "near what they share, in space at start [m]");
}

inline void build(const SceneWeld& j, const JointBuilder& to) {
  if (!to.planar) {
    to.add<Weld>("", to.on_master(j.point), to.on_slave(j.point));
    return;
  }
  to.add<PlanarRevolute>("", to.on_master(j.point), to.on_slave(j.point));
  to.add<Prescribed>(".turn", to.turn(j.point, Eigen::Vector3d::UnitZ()), 0.0);
}

}  // namespace locdyn::scene_format
