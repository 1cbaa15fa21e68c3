#pragma once
// The names of types and enumerators in a scene, and with them the bounds of values.

#include <array>
#include <string_view>

#include <locdyn/io/scene/ranges.hpp>
#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {
using namespace locdyn::detail;  // checks of numbers and words about them, in all files of this folder

// --- names of types and enumerators ----------------------------------------------------------------------------------

/// The value of "type" or "kind" that stands for an alternative.
template <class T>
inline constexpr std::string_view kTypeName = "";
/// A joint or a force says it in its own file.
template <class T>
requires requires {
  T::kType;
}
inline constexpr std::string_view kTypeName<T> = T::kType;
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
inline constexpr std::array<std::string_view, 5> kEnumerators<SceneMeshInertia> = {"legacy", "exact", "convex", "shell",
                                                                                   "box"};
template <>
inline constexpr std::array<std::string_view, 2> kEnumerators<SceneStabilisation> = {"projection", "baumgarte"};

}  // namespace locdyn::scene_format
