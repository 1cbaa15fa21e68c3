#pragma once
// A rod without mass keeps the distance of two points.

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>

namespace locdyn {

struct SceneRigidLink {
  static constexpr std::string_view kType = "rigid_link";
  std::array<Eigen::Vector3d, 2> points = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  std::optional<double> length;  ///< [m]; absent: the distance of the points
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneRigidLink& j) {
  v.required("points", j.points, kEnds);
  v.optional("length", j.length,
             "[m]; the distance of the points where absent. Another one is closed first, with \"smooth\" or "
             "\"kinematics\"",
             kPositive);
}

inline void check(const SceneRigidLink& j, const JointFaults& faults) {
  faults.require_different(".points", j.points);
}

// Time steps with contacts do not close anything first.
inline void check_in_steps(const SceneRigidLink& j, const JointFaults& faults) {
  constexpr double kSameLength = 1e-9;  // relative
  const double distance = (j.points[1] - j.points[0]).norm();
  if (!j.length || std::abs(*j.length - distance) <= kSameLength * distance) return;
  faults.fault(
      ".length",
      "the distance of the points, " + spelled(distance) + ", or \"smooth\" or \"kinematics\", which close first",
      spelled(*j.length));
}

inline void build(const SceneRigidLink& j, const JointBuilder& to) {
  const Anchor from = to.on_master(j.points[1]), onto = to.on_slave(j.points[0]);
  j.length ? to.add<RigidLink>("", from, onto, *j.length) : to.add<RigidLink>("", from, onto);
}

}  // namespace locdyn::scene_format
