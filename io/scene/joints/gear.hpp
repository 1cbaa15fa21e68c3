#pragma once
// A pair of gear wheels: their turns are in proportion.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>

namespace locdyn {

/// The first body turns `ratio` times as far as the second, each about its axis; both are hinged by other joints.
struct SceneGear {
  static constexpr std::string_view kType = "gear";
  std::array<Eigen::Vector3d, 2> axes = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitZ()};
  double ratio = 0;
  std::string carrier;  ///< of the axes; empty: space
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneGear& j) {
  v.required("axes", j.axes, "about which the two bodies turn, in space at start");
  v.required("ratio", j.ratio,
             "turn of the first body over that of the second; not 0, negative where they mesh outside");
  v.optional("carrier", j.carrier, "name of the body that carries the axes; space where absent");
}

inline void check(const SceneGear& j, const JointFaults& faults) {
  faults.require_direction(".axes[0]", j.axes[0]);
  faults.require_direction(".axes[1]", j.axes[1]);
  faults.require_not_zero(".ratio", j.ratio);
  if (faults.bodies == 1) faults.fault(".bodies", "two bodies of a gear", "one");
}

inline void build(const SceneGear& j, const JointBuilder& to) {
  const std::optional<BodyId> carrier =
      j.carrier.empty() ? std::nullopt : std::optional<BodyId>(to.system.find(j.carrier));
  const auto turn = [&](BodyId wheel, const Eigen::Vector3d& axis) {
    const Eigen::Vector3d x = to.system.bodies()[wheel].to_space(Eigen::Vector3d::Zero());
    return axis_angle({x, axis, carrier}, {x, axis, wheel});
  };
  to.add<Gear>("", turn(to.slave, j.axes[0]), turn(*to.master, j.axes[1]), j.ratio);
}

}  // namespace locdyn::scene_format
