#pragma once
// What a value in a scene must obey beyond its type, in words and as bounds: the reader checks it, the schema says it.

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {
using namespace locdyn::detail;  // checks of numbers and words about them, in all files of this folder

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bounds of a number, or of each number of a vector.
struct Range {
  double low = -kInfinity, high = kInfinity;
  bool low_open = false, high_open = false;  ///< the bound itself is not allowed

  [[nodiscard]] bool holds(double value) const noexcept {
    return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
  }
};
inline constexpr Range kAny = {};
inline constexpr Range kPositive = {0, kInfinity, true, false};
inline constexpr Range kNotNegative = {0, kInfinity, false, false};
inline constexpr Range kFriction = {0, 1e6, false, false};  // of the contact law
inline constexpr Range kShare = {0, 1, false, false};
[[nodiscard]] constexpr Range from_to(double low, double high) {
  return {low, high, false, false};
}

/// How many entries a list has.
struct Count {
  std::size_t least = 0, most = std::numeric_limits<std::size_t>::max();
};

/// The strings that are allowed.
struct OneOf {
  std::span<const std::string_view> names;
};

// --- names of types and enumerators ----------------------------------------------------------------------------------

/// The value of "type" or "kind" that stands for an alternative.
template <class T>
inline constexpr std::string_view kTypeName = "";
template <>
inline constexpr std::string_view kTypeName<Sphere> = "sphere";
template <>
inline constexpr std::string_view kTypeName<Box> = "box";
template <>
inline constexpr std::string_view kTypeName<Capsule> = "capsule";
template <>
inline constexpr std::string_view kTypeName<Cylinder> = "cylinder";
template <>
inline constexpr std::string_view kTypeName<SceneHull> = "convex_hull";
template <>
inline constexpr std::string_view kTypeName<SceneMesh> = "triangle_mesh";
template <>
inline constexpr std::string_view kTypeName<HeightField> = "height_field";
template <>
inline constexpr std::string_view kTypeName<Plane> = "plane";
template <>
inline constexpr std::string_view kTypeName<SceneRigid> = "rigid";
template <>
inline constexpr std::string_view kTypeName<SceneObstacle> = "obstacle";
template <>
inline constexpr std::string_view kTypeName<SceneParticle> = "particle";
template <>
inline constexpr std::string_view kTypeName<ScenePlanar> = "planar";
template <>
inline constexpr std::string_view kTypeName<ScenePseudoRigid> = "pseudo_rigid";
template <>
inline constexpr std::string_view kTypeName<SceneFixedPoint> = "fixed_point";
template <>
inline constexpr std::string_view kTypeName<SceneFixedDirection> = "fixed_direction";
template <>
inline constexpr std::string_view kTypeName<ScenePrescribedVelocity> = "prescribed_velocity";
template <>
inline constexpr std::string_view kTypeName<SceneRigidLink> = "rigid_link";
template <>
inline constexpr std::string_view kTypeName<SceneSpringDamper> = "spring_damper";
template <>
inline constexpr std::string_view kTypeName<SceneHinge> = "hinge";
template <>
inline constexpr std::string_view kTypeName<ScenePrismatic> = "prismatic";
template <>
inline constexpr std::string_view kTypeName<SceneCylindrical> = "cylindrical";
template <>
inline constexpr std::string_view kTypeName<SceneScrew> = "screw";
template <>
inline constexpr std::string_view kTypeName<SceneUniversal> = "universal";
template <>
inline constexpr std::string_view kTypeName<SceneWeld> = "weld";
template <>
inline constexpr std::string_view kTypeName<ScenePointOnLine> = "point_on_line";
template <>
inline constexpr std::string_view kTypeName<ScenePointOnPlane> = "point_on_plane";
template <>
inline constexpr std::string_view kTypeName<SceneGear> = "gear";
template <>
inline constexpr std::string_view kTypeName<SceneRollingWheel> = "rolling_wheel";
template <>
inline constexpr std::string_view kTypeName<SceneSpringForce> = "spring_damper";
template <>
inline constexpr std::string_view kTypeName<SceneTorsionSpring> = "torsion_spring";
template <>
inline constexpr std::string_view kTypeName<SceneWeight> = "weight";
template <>
inline constexpr std::string_view kTypeName<SceneWheelContact> = "wheel_contact";
template <>
inline constexpr std::string_view kTypeName<SceneRotatingFrame> = "rotating_frame";
template <>
inline constexpr std::string_view kTypeName<SceneWall> = "wall";
template <>
inline constexpr std::string_view kTypeName<SceneTower> = "tower";
template <>
inline constexpr std::string_view kTypeName<SceneArch> = "arch";
template <>
inline constexpr std::string_view kTypeName<ScenePile> = "pile";
template <>
inline constexpr std::string_view kTypeName<SceneRow> = "row";

/// The names of an enumeration's values, in their order.
template <class E>
inline constexpr std::array<std::string_view, 0> kEnumerators = {};
template <>
inline constexpr std::array<std::string_view, 3> kEnumerators<OnFailure> = {"go_on", "stop", "halve"};
template <>
inline constexpr std::array<std::string_view, 3> kEnumerators<Correction> = {"none", "projection", "baumgarte"};
template <>
inline constexpr std::array<std::string_view, 5> kEnumerators<SceneIntegrator> = {"runge_kutta", "bdf", "adams",
                                                                                  "generalised_alpha", "half_step"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumerators<SceneStabilisation> = {"projection", "baumgarte"};

}  // namespace locdyn::scene_format
