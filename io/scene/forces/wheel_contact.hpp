#pragma once
// A wheel that a smooth terrain pushes by a penalty law.

#include <Eigen/Core>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/forces/penalty/penalty_contact.hpp>
#include <locdyn/forces/penalty/wheel_on_terrain.hpp>
#include <locdyn/io/scene/forces/force_parts.hpp>
#include <locdyn/io/scene/smooth_curve.hpp>

namespace locdyn {

/// A wheel on a terrain y(x), solid below, in space or on the second body.
struct SceneWheelContact {
  static constexpr std::string_view kType = "wheel_contact";
  static constexpr scene_format::ForceBodies kBodies = {
      .least = 1, .most = 2, .first = "a body that moves, the wheel's"};
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  double radius = 0;                     ///< [m]
  std::vector<Eigen::Vector2d> terrain;  ///< points (x, y) in order of x, joined smoothly
  PenaltyLaw law;
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneWheelContact& f) {
  v.required("center", f.center, "of the wheel, in space at start, carried by the first body [m]");
  v.required("radius", f.radius, "[m]", kPositive);
  v.required("terrain", f.terrain,
             "points (x, y) in order of x, joined by a smooth curve, straight on beyond the ends; solid below, the "
             "same for all z [m]",
             Count{2});
  v.required("stiffness", f.law.stiffness, "k of the normal force k δ^p + c δ^m dδ/dt [N/m^p]", kPositive);
  v.optional("exponent", f.law.exponent, "p: 1 linear, 1.5 Hertz", Range{1, kInfinity, false, false});
  v.optional("damping", f.law.damping, "c; the force never pulls [N s/m^(1+m)]", kNotNegative);
  v.optional("damping_exponent", f.law.damping_exponent, "m", kNotNegative);
  v.optional("friction", f.law.friction, "μ of the force μ F_n v/√(v² + ε²)", kNotNegative);
  v.optional("slip_speed", f.law.slip_speed, "ε [m/s]", kPositive);
}

inline void check(const SceneWheelContact& f, const ForceFaults& faults) {
  for (std::size_t i = 1; i < f.terrain.size(); ++i) {
    if (f.terrain[i].x() > f.terrain[i - 1].x()) continue;
    faults.fault(".terrain[" + std::to_string(i) + "]", "an x beyond the one before, " + spelled(f.terrain[i - 1].x()),
                 spelled(f.terrain[i].x()));
    return;
  }
}

inline std::unique_ptr<Force> make(const SceneWheelContact& f, const ForceMaker& with) {
  const auto curve = std::make_shared<const SmoothCurve>(f.terrain);
  Terrain terrain;
  terrain.height = [curve](double x) { return curve->at(x).value; };
  terrain.slope = [curve](double x) { return curve->at(x).slope; };
  return std::make_unique<PenaltyContact>(
      std::make_unique<WheelOnTerrain>(Anchor{f.center, with.first()}, f.radius, std::move(terrain), with.second()),
      f.law);
}

}  // namespace locdyn::scene_format
