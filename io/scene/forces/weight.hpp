#pragma once
// A mass that weighs at a point of a body and has no inertia.

#include <Eigen/Core>
#include <memory>
#include <string_view>

#include <locdyn/forces/weight.hpp>
#include <locdyn/io/scene/forces/force_parts.hpp>

namespace locdyn {

/// Beyond the body's own.
struct SceneWeight {
  static constexpr std::string_view kType = "weight";
  static constexpr scene_format::ForceBodies kBodies = {1, 1};
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  double mass = 0;  ///< [kg]
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneWeight& f) {
  v.required("point", f.point, "in space at start, carried by the body [m]");
  v.required("mass", f.mass, "that weighs there beside the body's own; it has no inertia [kg]", kPositive);
}

inline std::unique_ptr<Force> make(const SceneWeight& f, const ForceMaker& with) {
  return std::make_unique<Weight>(Anchor{f.point, with.first()}, f.mass, with.system.gravity);
}

}  // namespace locdyn::scene_format
