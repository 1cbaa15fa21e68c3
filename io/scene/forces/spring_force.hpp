#pragma once
// A spring and a damper between two points, applied as a force of the state half-way through each step.

#include <Eigen/Core>
#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/forces/point_spring_damper.hpp>
#include <locdyn/io/scene/forces/force_parts.hpp>

namespace locdyn {

struct SceneSpringForce {
  static constexpr std::string_view kType = "spring_damper";
  static constexpr scene_format::ForceBodies kBodies = {1, 2};
  std::array<Eigen::Vector3d, 2> points = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  double stiffness = 0, damping = 0;  ///< [N/m], [N s/m]
  std::optional<double> rest_length;  ///< [m]; absent: the distance of the points
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneSpringForce& f) {
  v.required("points", f.points,
             "its ends in space at start, one for each body; without a second body the second stays in space [m]");
  v.optional("stiffness", f.stiffness, "[N/m]", kNotNegative);
  v.optional("damping", f.damping, "[N s/m]", kNotNegative);
  v.optional("rest_length", f.rest_length, "[m]; the length at start where absent", kNotNegative);
  v.at_least_one({"stiffness", "damping"});
}

inline void check(const SceneSpringForce& f, const ForceFaults& faults) {
  faults.require_effect(f.stiffness, f.damping);
  // With a rest length of 0 the ends may meet: there is no force then.
  if (f.points[0] == f.points[1] && f.rest_length && *f.rest_length > 0) {
    faults.fault(".points", "two different points where the rest length is " + spelled(*f.rest_length), "one");
  }
}

inline std::unique_ptr<Force> make(const SceneSpringForce& f, const ForceMaker& with) {
  return std::make_unique<PointSpringDamper>(Anchor{f.points[1], with.second()}, Anchor{f.points[0], with.first()},
                                             SpringProperties{f.stiffness, f.damping}, f.rest_length);
}

}  // namespace locdyn::scene_format
