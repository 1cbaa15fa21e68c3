#pragma once
// A universal (Cardan) joint: two axes, one of each body, meet at right angles.

#include <Eigen/Core>
#include <array>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/driven/servo.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/ldy/assembly/quantities/serial_chain.hpp>

namespace locdyn {

/// Turns about an axis of each body.
struct SceneUniversal {
  static constexpr std::string_view kType = "universal";
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  std::array<Eigen::Vector3d, 2> axes = {Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY()};
  std::array<double, 2> friction = {0, 0};  ///< dry, about each axis by itself [N m]
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneUniversal& j) {
  v.required("point", j.point, "where the axes meet, in space at start [m]");
  v.required("axes", j.axes, "of the first body and of the second, at right angles, in space at start");
  v.optional("friction", j.friction, "dry torque about each axis, by itself [N m]", kNotNegative);
}

inline void check(const SceneUniversal& j, const JointFaults& faults) {
  faults.require_across(".axes", j.axes[0], j.axes[1], "two directions at right angles");
}

inline void check_in_mechanism(const SceneUniversal& j, const JointFaults& faults) {
  faults.require_no_friction({.given = j.friction[0] > 0 || j.friction[1] > 0});
}

// Its two angles are those of a hinge on the second body's axis that carries one on the first body's.
inline void build(const SceneUniversal& j, const JointBuilder& to) {
  to.add<Universal>("", to.master_axis(j.point, j.axes[1]), to.slave_axis(j.point, j.axes[0]));
  const SerialChain cross(to.master, to.slave, {{true, j.point, j.axes[1]}, {true, j.point, j.axes[0]}});
  for (std::size_t k = 0; k < 2; ++k) {
    const char* part = k == 0 ? ".first" : ".second";
    if (j.friction[k] > 0) to.add<DryFriction>(part, serial_coordinate(cross, 1 - k), j.friction[k]);
  }
}

}  // namespace locdyn::scene_format
