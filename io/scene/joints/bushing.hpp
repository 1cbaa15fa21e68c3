#pragma once
// A bushing: springs and dampers of all six ways in which two bodies move against each other, solved with the contacts;
// forces of the state in a mechanism.

#include <Eigen/Core>
#include <array>
#include <memory>
#include <string_view>

#include <locdyn/forces/bushing_force.hpp>
#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/bushing.hpp>

namespace locdyn {

struct SceneBushing {
  static constexpr std::string_view kType = "bushing";
  std::array<Eigen::Vector3d, 2> points = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  BushingProperties properties = {};
  Eigen::Vector3d rest = Eigen::Vector3d::Zero();  ///< turns the first body to where it is without moment [rad]
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneBushing& j) {
  v.required("points", j.points, "one of each body, in space at start: together where it is without force [m]");
  v.optional("stiffness", j.properties.stiffness, "of their distance [N/m]", kNotNegative);
  v.optional("damping", j.properties.damping, "[N s/m]", kNotNegative);
  v.optional("angular_stiffness", j.properties.angular_stiffness, "of the rotation vector [N m/rad]", kNotNegative);
  v.optional("angular_damping", j.properties.angular_damping, "[N m s/rad]", kNotNegative);
  v.optional("rest", j.rest,
             "rotation vector that turns the first body from the start to where it is without moment, in space [rad]");
  v.at_least_one({"stiffness", "damping", "angular_stiffness", "angular_damping"});
}

inline void check(const SceneBushing& j, const JointFaults& faults) {
  if (!j.properties.pulls() && !j.properties.turns()) faults.fault("", "stiffness or damping > 0", "all zero");
}

inline void build(const SceneBushing& j, const JointBuilder& to) {
  RelativePlacement placement(to.on_master(j.points[1]), to.on_slave(j.points[0]), j.rest);
  if (to.springs == Springs::rows) {
    to.add<Bushing>("", std::move(placement), j.properties);
  } else {
    to.system.add_force(std::make_unique<BushingForce>(std::move(placement), j.properties), to.name);
  }
}

}  // namespace locdyn::scene_format
