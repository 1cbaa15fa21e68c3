#pragma once
// A wheel that rolls without slip.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/driven/rolling_wheel.hpp>

namespace locdyn {

/// A thin wheel that rolls without slip on a plane of the second body, or of space.
struct SceneRollingWheel {
  static constexpr std::string_view kType = "rolling_wheel";
  Eigen::Vector3d center = Eigen::Vector3d::Zero(), axle = Eigen::Vector3d::UnitX();
  double radius = 0;  ///< [m]
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneRollingWheel& j) {
  v.required("center", j.center, "of the first body's wheel, in space at start [m]");
  v.required("axle", j.axle, kAxis);
  v.required("radius", j.radius, "[m]", kPositive);
  v.required("normal", j.normal,
             "of the plane under it, which the second body carries and which it touches at start, to the wheel's side");
}

inline void check(const SceneRollingWheel& j, const JointFaults& faults) {
  faults.require_across(".axle", j.axle, j.normal, "an axle across the normal, both of length > 0");
}

inline void build(const SceneRollingWheel& j, const JointBuilder& to) {
  // The lowest point: towards the plane, across the axle.
  const Eigen::Vector3d n = j.normal.normalized(), a = j.axle.normalized();
  const Eigen::Vector3d lowest = j.center - j.radius * (n - n.dot(a) * a).normalized();
  if (to.planar) to.require_z(j.axle, "axle");
  to.add<RollingWheel>("", to.master_axis(lowest, j.normal), to.slave_axis(j.center, j.axle), j.radius,
                       to.planar ? WheelRows::plane : WheelRows::space);
}

}  // namespace locdyn::scene_format
