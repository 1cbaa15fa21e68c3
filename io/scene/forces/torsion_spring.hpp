#pragma once
// A spring and a damper that act on the turn of the first body about an axis.

#include <Eigen/Core>
#include <memory>
#include <string_view>

#include <locdyn/forces/torsion_spring.hpp>
#include <locdyn/io/scene/forces/force_parts.hpp>

namespace locdyn {

struct SceneTorsionSpring {
  static constexpr std::string_view kType = "torsion_spring";
  static constexpr scene_format::ForceBodies kBodies = {.least = 1, .most = 2, .turn = true};
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  double stiffness = 0, damping = 0, rest_angle = 0;  ///< [N m/rad], [N m s/rad], [rad]
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneTorsionSpring& f) {
  v.required("axis", f.axis, "about which the angle is taken, carried by the second body, or space");
  v.optional("stiffness", f.stiffness, "[N m/rad]", kNotNegative);
  v.optional("damping", f.damping, "[N m s/rad]", kNotNegative);
  v.optional("rest_angle", f.rest_angle, "of the first body since the start, by the right hand, turns counted [rad]");
  v.at_least_one({"stiffness", "damping"});
}

inline void check(const SceneTorsionSpring& f, const ForceFaults& faults) {
  faults.require_effect(f.stiffness, f.damping);
  if (!(f.axis.norm() > 0)) faults.fault(".axis", "a vector of length > 0", "zero");
}

inline std::unique_ptr<Force> make(const SceneTorsionSpring& f, const ForceMaker& with) {
  const Eigen::Vector3d at = with.system.bodies()[with.first()].to_space(Eigen::Vector3d::Zero());
  return std::make_unique<TorsionSpring>(Axis{at, f.axis, with.second()}, Axis{at, f.axis, with.first()},
                                         TorsionProperties{f.stiffness, f.damping, f.rest_angle});
}

}  // namespace locdyn::scene_format
