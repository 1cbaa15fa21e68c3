#pragma once
// A point of one body moves with the other along one direction.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_direction.hpp>

namespace locdyn {

struct SceneFixedDirection {
  static constexpr std::string_view kType = "fixed_direction";
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), direction = Eigen::Vector3d::UnitZ();
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneFixedDirection& j) {
  v.required("point", j.point, "in space at start [m]");
  v.required("direction", j.direction, "along which it is held, in space, of any length > 0");
}

inline void check(const SceneFixedDirection& j, const JointFaults& faults) {
  faults.require_direction(".direction", j.direction);
}

inline void build(const SceneFixedDirection& j, const JointBuilder& to) {
  to.add<FixedDirection>("", to.on_master(j.point), to.on_slave(j.point), j.direction);
}

}  // namespace locdyn::scene_format
