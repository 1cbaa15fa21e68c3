#pragma once
// A spring and a damper between two points, solved with the contacts (implicit); a force of the state is in forces/.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string_view>

#include <locdyn/io/scene/joints/joint_parts.hpp>
#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>

namespace locdyn {

struct SceneSpringDamper {
  static constexpr std::string_view kType = "spring_damper";
  std::array<Eigen::Vector3d, 2> points = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  double stiffness = 0, damping = 0;  ///< [N/m], [N s/m]
  std::optional<double> rest_length;  ///< [m]; absent: the distance of the points
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneSpringDamper& j) {
  v.required("points", j.points, kEnds);
  v.optional("stiffness", j.stiffness, "[N/m]", kNotNegative);
  v.optional("damping", j.damping, "[N s/m]", kNotNegative);
  v.optional("rest_length", j.rest_length, "[m]; the length at start where absent", kNotNegative);
  v.at_least_one({"stiffness", "damping"});
}

inline void check(const SceneSpringDamper& j, const JointFaults& faults) {
  if (!(j.stiffness + j.damping > 0)) faults.fault("", "stiffness or damping > 0", "both zero");
  faults.require_different(".points", j.points);
}

inline void check_in_mechanism(const SceneSpringDamper&, const JointFaults& faults) {
  faults.fault(".type", "rigid joints of a mechanism: a spring_damper goes to \"forces\"", "\"spring_damper\"");
}

inline void build(const SceneSpringDamper& j, const JointBuilder& to) {
  const SpringProperties properties{j.stiffness, j.damping};
  const Anchor from = to.on_master(j.points[1]), onto = to.on_slave(j.points[0]);
  j.rest_length ? to.add<SpringDamper>("", from, onto, properties, *j.rest_length)
                : to.add<SpringDamper>("", from, onto, properties);
}

}  // namespace locdyn::scene_format
