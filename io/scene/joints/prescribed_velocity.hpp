#pragma once
// A point is driven along one direction with a velocity over time.

#include <Eigen/Core>
#include <algorithm>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/io/scene/time_series.hpp>
#include <locdyn/ldy/assembly/constraints/prescribed_velocity.hpp>

namespace locdyn {

struct ScenePrescribedVelocity {
  static constexpr std::string_view kType = "prescribed_velocity";
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), direction = Eigen::Vector3d::UnitZ();
  TimeSeries<double> velocity;
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, ScenePrescribedVelocity& j) {
  v.required("point", j.point, "in space at start [m]");
  v.required("direction", j.direction, "along which it is driven, in space, of any length > 0");
  v.required("velocity", j.velocity, "at the end of each step [m/s]");
}

inline void check(const ScenePrescribedVelocity& j, const JointFaults& faults) {
  faults.require_direction(".direction", j.direction);
}

inline void check_in_mechanism(const ScenePrescribedVelocity&, const JointFaults& faults) {
  faults.fault(".type", "joints with a position in a mechanism: a prismatic joint with a speed instead",
               "\"prescribed_velocity\"");
}

inline void build(const ScenePrescribedVelocity& j, const JointBuilder& to) {
  const ConstraintId id =
      to.add<PrescribedVelocity>("", to.on_master(j.point), to.on_slave(j.point), j.direction, j.velocity.at(0));
  if (j.velocity.constant()) return;
  auto& constraint = dynamic_cast<PrescribedVelocity&>(to.system.assembly().constraint(id));
  to.system.add_load([&system = to.system, id, &constraint, velocity = j.velocity](double t, double h, BodySet&) {
    if (std::ranges::find(system.constraints(), id) == system.constraints().end()) return;  // it was removed
    constraint.set_velocity(velocity.at(t + h));  // it holds at the end of the step
  });
}

}  // namespace locdyn::scene_format
