#pragma once
// The keys of generators and robots (see describe.hpp).

#include <array>
#include <string_view>

#include <locdyn/io/scene/describe_bodies.hpp>
#include <locdyn/io/scene/rules.hpp>

namespace locdyn::scene_format {

inline constexpr Range kMany = from_to(1, 1'000'000);

template <class V>
void describe(V& v, SceneWall& g) {
  v.required("bricks", g.bricks, "in a course", kMany);
  v.required("courses", g.courses, "", kMany);
  v.optional("brick_size", g.brick_size, "along the wall, across, up [m]", kPositive);
  v.optional("half_bricks", g.half_bricks, "at the ends of every other course; else it has one brick less");
  v.optional("density", g.density, "[kg/m³]", kPositive);
}
template <class V>
void describe(V& v, SceneTower& g) {
  v.required("layers", g.layers, "", kMany);
  v.optional("planks", g.planks, "in a layer", from_to(2, 1000));
  v.optional("plank_size", g.plank_size, "along, across, up [m]", kPositive);
  v.optional("density", g.density, "[kg/m³]", kPositive);
}
template <class V>
void describe(V& v, SceneArch& g) {
  v.required("voussoirs", g.voussoirs, "", from_to(2, 100'000));
  v.required("radius", g.radius, "of the centre line [m]", kPositive);
  v.required("thickness", g.thickness, "along the radius, less than twice the radius [m]", kPositive);
  v.required("depth", g.depth, "across [m]", kPositive);
  v.optional("density", g.density, "[kg/m³]", kPositive);
}
inline constexpr std::array<std::string_view, 4> kPileShapes = {"sphere", "box", "capsule", "cylinder"};
template <class V>
void describe(V& v, ScenePile& g) {
  v.required("count", g.count, "", kMany);
  v.required("size", g.size, "least and largest diameter of a body [m]", kPositive);
  v.optional("shapes", g.shapes, "in turn", Count{1}, OneOf{kPileShapes});
  v.optional("across", g.across, "lattice points along x and y", from_to(1, 1000));
  v.optional("seed", g.seed, "of sizes and orientations", from_to(0, 4294967295.0));
  v.optional("density", g.density, "[kg/m³]", kPositive);
}
template <class V>
void describe(V& v, SceneRow& g) {
  v.required("count", g.count, "", kMany);
  v.required("spacing", g.spacing, "from one copy to the next [m]");
  v.required("body", g.body, "the first, without a name");
}

template <class V>
void describe(V& v, SceneGenerator& g) {
  v.required("name", g.name, "bodies are called \"name[0]\", \"name[1]\", …; unique");
  v.alternative("type", g.type, "what it makes");
  describe(v, g.placement);
  v.optional("surface", g.surface, "of what it makes, where it names none");
}

template <class V>
void describe(V& v, SceneRobot& r) {
  v.required("name", r.name, "links are called \"name/link\"; unique");
  v.optional("urdf", r.urdf, "URDF file, relative to the scene");
  v.optional("mjcf", r.mjcf, "MJCF file, relative to the scene");
  v.exactly_one({"urdf", "mjcf"});
  describe(v, r.placement);
  v.optional("fixed_base", r.fixed_base, "is the root link of a URDF held in space?");
  v.excludes("fixed_base", {"mjcf"});
  v.optional("surface", r.surface, "of all links; without it those of an MJCF have the friction that it says");
  v.optional("mesh_inertia", r.mesh_inertia,
             "what of meshes of an MJCF weighs that do not say: legacy as in MuJoCo 3, box as in MuJoCo 2");
  v.excludes("mesh_inertia", {"urdf"});
  v.optional("leave_out", r.leave_out,
             "leave out what is not taken, which is listed then, instead of refusing the file?");
  v.optional("keyframe", r.keyframe, "name of the keyframe of an MJCF in which it starts");
  v.excludes("keyframe", {"urdf"});
  v.optional("qpos", r.qpos, "all coordinates of an MJCF in which it starts, in the order of MuJoCo");
  v.excludes("qpos", {"urdf", "keyframe"});
  v.optional("qvel", r.qvel, "all velocities of an MJCF with which it starts, in the order of MuJoCo");
  v.excludes("qvel", {"urdf"});
  v.optional("positions", r.positions, "where hinges [rad] and slides [m] start, by name of the joint");
  v.optional(
      "controls", r.controls,
      "of actuators of an MJCF by name, else those of the keyframe, or 0; torques [N m] and forces [N] of joints of "
      "a URDF by name, kept in their effort limits");
}

}  // namespace locdyn::scene_format
