#pragma once
// A cylindrical joint: the bodies turn about one axis and slide along it.

#include <Eigen/Core>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/driven/servo.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>

namespace locdyn {

/// Turns about an axis and slides along it.
struct SceneCylindrical {
  static constexpr std::string_view kType = "cylindrical";
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitZ();
  double friction_torque = 0, friction_force = 0;  ///< dry, against turning [N m] and sliding [N], each by itself
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneCylindrical& j) {
  v.required("point", j.point, kOnAxis);
  v.required("axis", j.axis, kAxis);
  v.object("friction", "dry, against turning and against sliding, each by itself", [&j](auto& o) {
    o.optional("torque", j.friction_torque, "[N m]", kNotNegative);
    o.optional("force", j.friction_force, "[N]", kNotNegative);
    o.at_least_one({"torque", "force"});
  });
}

inline void check(const SceneCylindrical& j, const JointFaults& faults) {
  faults.require_direction(".axis", j.axis);
}

inline void check_in_mechanism(const SceneCylindrical& j, const JointFaults& faults) {
  faults.require_no_friction({.given = j.friction_torque > 0 || j.friction_force > 0});
}

inline void build(const SceneCylindrical& j, const JointBuilder& to) {
  to.add<Cylindrical>("", to.master_axis(j.point, j.axis), to.slave_axis(j.point, j.axis));
  if (j.friction_torque > 0) to.add<DryFriction>(".turning", to.turn(j.point, j.axis), j.friction_torque);
  if (j.friction_force > 0) to.add<DryFriction>(".sliding", to.slide(j.point, j.axis), j.friction_force);
}

}  // namespace locdyn::scene_format
