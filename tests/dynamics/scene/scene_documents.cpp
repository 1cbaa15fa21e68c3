#include <dynamics/scene/scene_documents.hpp>

namespace locdyn::test {

using Json = nlohmann::json;

Json full_scene() {
  return Json::parse(R"({
    "$schema": "scene.schema.json",
    "title": "everything",
    "step": 0.001, "duration": 0.5, "gravity": [0, 0, -9.81],
    "solver": {"name": "auto", "tolerance": 1e-9, "max_iterations": 500, "on_failure": "halve"},
    "correction": {"kind": "baumgarte", "slop": 1e-5, "alpha": 0.2, "beta": 0.4},
    "allow_overlap": 1e-3,
    "surfaces": {"stone": {"friction": 0.6, "restitution": 0.1},
                 "ice": {"static_friction": 0.1, "kinetic_friction": 0.05}},
    "pairs": [{"surfaces": ["stone", "ice"], "friction": 0.2}],
    "bodies": [
      {"name": "ground", "kind": "obstacle", "shape": {"type": "plane", "surface": "stone"}},
      {"name": "hills", "kind": "obstacle", "position": [50, 0, 0], "shapes": [
        {"type": "height_field", "heights": [[0, 0, 0], [0, 0.5, 0]], "spacing": [1, 1]},
        {"type": "triangle_mesh", "vertices": [[0, 0, 2], [1, 0, 2], [0, 1, 2]], "triangles": [[0, 1, 2]]}]},
      {"name": "box", "kind": "rigid", "position": [0, 0, 5], "orientation": [1, 0, 0, 0], "density": 1000,
       "velocity": [1, 0, 0], "angular_velocity": [0, 0, 1], "surface": "ice", "groups": ["things"],
       "collides_with": ["things", "default"],
       "shapes": [{"type": "box", "size": [1, 1, 1]},
                  {"type": "sphere", "radius": 0.5, "position": [0, 0, 0.7], "density": 500},
                  {"type": "capsule", "radius": 0.1, "length": 1, "mass": 2, "orientation": {"degrees": 90}},
                  {"type": "cylinder", "radius": 0.1, "height": 1, "surface": "stone",
                   "orientation": {"axis": [1, 0, 0], "degrees": 90}, "groups": ["rods"], "collides_with": ["default"]},
                  {"type": "convex_hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
                   "orientation": {"rpy_degrees": [0, 0, 90]}}]},
      {"name": "frame", "position": [5, 0, 5], "mass": 2, "inertia": [1, 2, 2.5], "mass_center": [0.1, 0, 0]},
      {"name": "turned", "position": [7, 0, 5], "mass": 2, "inertia": [[1, 0, 0], [0, 1, 0.1], [0, 0.1, 1]]},
      {"name": "grain", "kind": "particle", "mass": 0.1, "position": [9, 0, 5], "velocity": [0, 0, 1]},
      {"name": "disc", "kind": "planar", "position": [11, 0, 0], "orientation": {"degrees": 30}, "mass": 3,
       "inertia": 0.5, "velocity": [1, 0], "angular_velocity": 2},
      {"name": "jelly", "kind": "pseudo_rigid", "position": [13, 0, 5], "density": 1000, "young_modulus": 1e6,
       "poisson_ratio": 0.3, "velocity": [0, 0, 0], "angular_velocity": [0, 0, 0],
       "shape": {"type": "box", "size": [1, 1, 1], "collides_with": []}}
    ],
    "generators": [
      {"name": "wall", "type": "wall", "bricks": 4, "courses": 3, "brick_size": [0.22, 0.11, 0.07], "half_bricks": true,
       "density": 1900, "surface": "stone", "position": [20, 0, 0]},
      {"name": "tower", "type": "tower", "layers": 3, "planks": 3, "plank_size": [0.1, 0.02, 0.01], "density": 600,
       "position": [22, 0, 0], "orientation": {"degrees": 45}},
      {"name": "arch", "type": "arch", "voussoirs": 7, "radius": 2, "thickness": 0.4, "depth": 0.5, "density": 2400,
       "position": [26, 0, 0]},
      {"name": "pile", "type": "pile", "count": 9, "size": [0.05, 0.1], "shapes": ["sphere", "box", "capsule", "cylinder"],
       "across": [2, 2], "seed": 7, "density": 1000, "position": [32, 0, 1]},
      {"name": "domino", "type": "row", "count": 3, "spacing": [0.1, 0, 0], "position": [36, 0, 0],
       "body": {"density": 800, "shape": {"type": "box", "size": [0.02, 0.1, 0.2], "position": [0, 0, 0.1]}}}
    ],
    "joints": [
      {"name": "ball", "type": "fixed_point", "bodies": ["frame", "turned"], "point": [6, 0, 5], "collide": false},
      {"type": "fixed_direction", "bodies": ["grain"], "point": [9, 0, 5], "direction": [1, 0, 0]},
      {"type": "prescribed_velocity", "bodies": ["disc"], "point": [11, 0, 0], "direction": [0, 1, 0],
       "velocity": {"times": [0, 1], "values": [0, 2]}},
      {"type": "rigid_link", "bodies": ["grain", "jelly"], "points": [[9, 0, 5], [13, 0, 5]]},
      {"type": "spring_damper", "bodies": ["jelly"], "points": [[13, 0, 5], [13, 0, 9]], "stiffness": 100, "damping": 1,
       "rest_length": 3.5},
      {"type": "hinge", "bodies": ["frame"], "point": [5, 0, 5], "axis": [0, 0, 1]},
      {"type": "weld", "bodies": ["turned", "box"], "point": [3, 0, 5]}
    ],
    "loads": [
      {"body": "box", "force": [0, 0, 10], "torque": [1, 0, 0], "point": [0, 0, 5.5]},
      {"body": "jelly", "force": {"times": [0, 0.1, 0.2], "values": [[0, 0, 0], [5, 0, 0], [0, 0, 0]]}}
    ],
    "motions": [
      {"body": "hills", "displacement": {"times": [0, 1], "values": [[0, 0, 0], [0, 0, 0.1]]},
       "rotation": {"times": [0, 1], "values": [[0, 0, 0], [0, 0, 3]]}},
      {"body": "ground", "velocity": [0, 0, 0], "angular_velocity": {"times": [0, 1], "values": [[0, 0, 0], [0, 0, 0]]}}
    ],
    "excluded_pairs": [["box", "frame"]],
    "output": {"every": 5, "dump_problems": 0, "checkpoint": 100}
  })");
}

std::vector<Mutant> local_mutants() {
  return {
      // The scene and its settings.
      {"/step", nullptr, "key \"step\""},
      {"/step", 0, "step"},
      {"/step", -1e-3, "step"},
      {"/step", "1 ms", "step"},
      {"/step", true, "step"},
      {"/duration", nullptr, "key \"duration\""},
      {"/duration", 0, "duration"},
      {"/title", 5, "title"},
      {"/title", "", "title"},
      {"/gravty", Json::array({0, 0, -1}), "\"gravity\""},
      {"/gravity", 9.81, "gravity"},
      {"/gravity", Json::array({0, -9.81}), "gravity"},
      {"/gravity/1", "0", "gravity[1]"},
      {"/solver", "auto", "solver"},
      {"/solver/name", "magic", "solver.name"},
      {"/solver/tolerance", 0, "solver.tolerance"},
      {"/solver/max_iterations", 1.5, "solver.max_iterations"},
      {"/solver/max_iterations", -1, "solver.max_iterations"},
      {"/solver/on_failure", "ignore", "solver.on_failure"},
      {"/solver/tol", 1e-8, "solver"},
      {"/correction/kind", "push", "correction.kind"},
      {"/correction/alpha", 1.5, "correction.alpha"},
      {"/correction/slop", -1, "correction.slop"},
      {"/allow_overlap", -1, "allow_overlap"},
      {"/output/every", -1, "output.every"},
      {"/output/evry", 1, "output"},
      // Surfaces.
      {"/surfaces", Json::array(), "surfaces"},
      {"/surfaces/stone", 0.6, "surfaces.stone"},
      {"/surfaces/stone/friction", -0.1, "surfaces.stone.friction"},
      {"/surfaces/stone/friction", nullptr, "surfaces.stone"},
      {"/surfaces/stone/restitution", 1.1, "surfaces.stone.restitution"},
      {"/surfaces/stone/static_friction", 0.7, "surfaces.stone"},
      {"/surfaces/ice/kinetic_friction", nullptr, "surfaces.ice"},
      {"/pairs/0/surfaces", Json::array({"stone"}), "pairs[0].surfaces"},
      {"/pairs/0/surfaces", nullptr, "pairs[0]"},
      // Bodies and shapes.
      {"/bodies", Json::object(), "bodies"},
      {"/bodies/0", "ground", "bodies[0]"},
      {"/bodies/0/kind", "wall", "bodies[0].kind"},
      {"/bodies/0/kind", 1, "bodies[0].kind"},
      {"/bodies/0/density", 1000, "bodies[0]"},
      {"/bodies/0/velocity", Json::array({0, 0, 0}), "bodies[0]"},
      {"/bodies/0/shape/type", nullptr, "bodies[0].shape"},
      {"/bodies/0/shape/type", "disc", "bodies[0].shape.type"},
      {"/bodies/0/shapes", Json::parse(R"([{"type": "plane"}])"), "bodies[0]"},
      {"/bodies/1/shapes", Json::array(), "bodies[1].shapes"},
      {"/bodies/1/shapes/0/heights", Json::parse("[[0, 0]]"), "bodies[1].shapes[0].heights"},
      {"/bodies/1/shapes/0/spacing/0", 0, "bodies[1].shapes[0].spacing[0]"},
      {"/bodies/1/shapes/1/triangles", nullptr, "bodies[1].shapes[1]"},
      {"/bodies/1/shapes/1/triangles/0/0", -1, "bodies[1].shapes[1].triangles[0][0]"},
      {"/bodies/1/shapes/1/file", "mesh.stl", "bodies[1].shapes[1]"},
      {"/bodies/2/name", "", "bodies[2].name"},
      {"/bodies/2/mass", 5, "bodies[2]"},
      {"/bodies/2/density", 0, "bodies[2].density"},
      {"/bodies/2/orientation", Json::array({1, 0, 0}), "bodies[2].orientation"},
      {"/bodies/2/orientation", 30, "bodies[2].orientation"},
      {"/bodies/2/orientation", Json::object(), "bodies[2].orientation"},
      {"/bodies/2/orientation", Json::parse(R"({"axis": [0, 0, 1]})"), "bodies[2].orientation"},
      {"/bodies/2/orientation", Json::parse(R"({"degrees": 1, "rpy_degrees": [0, 0, 0]})"), "bodies[2].orientation"},
      {"/bodies/2/orientation", Json::parse(R"({"radians": 1})"), "bodies[2].orientation"},
      {"/bodies/2/groups", Json::array(), "bodies[2].groups"},
      {"/bodies/2/groups", "things", "bodies[2].groups"},
      {"/bodies/2/mass_center", Json::array({0, 0, 0}), "bodies[2]"},
      {"/bodies/2/young_modulus", 1e6, "bodies[2]"},
      {"/bodies/2/shapes/0/size", 1, "bodies[2].shapes[0].size"},
      {"/bodies/2/shapes/0/size/2", 0, "bodies[2].shapes[0].size[2]"},
      {"/bodies/2/shapes/0/size", nullptr, "bodies[2].shapes[0]"},
      {"/bodies/2/shapes/0/radius", 1, "bodies[2].shapes[0]"},
      {"/bodies/2/shapes/1/radius", -0.5, "bodies[2].shapes[1].radius"},
      {"/bodies/2/shapes/2/density", 5, "bodies[2].shapes[2]"},
      {"/bodies/2/shapes/2/mass", -2, "bodies[2].shapes[2].mass"},
      {"/bodies/2/shapes/3/height", "1", "bodies[2].shapes[3].height"},
      {"/bodies/2/shapes/4/points/3", nullptr, "bodies[2].shapes[4].points"},
      {"/bodies/2/shapes/4/points", nullptr, "bodies[2].shapes[4]"},
      {"/bodies/2/shapes/4/scale", Json::array({1, 1, 1}), "bodies[2].shapes[4]"},
      {"/bodies/3/mass", nullptr, "bodies[3]"},
      {"/bodies/3/mass", 0, "bodies[3].mass"},
      {"/bodies/3/inertia/0", 0, "bodies[3].inertia[0]"},
      {"/bodies/3/inertia", Json::array({1, 1}), "bodies[3].inertia"},
      {"/bodies/4/inertia/1", Json::array({0, 1}), "bodies[4].inertia[1]"},
      {"/bodies/5/mass", nullptr, "bodies[5]"},
      {"/bodies/5/angular_velocity", Json::array({0, 0, 1}), "bodies[5]"},
      {"/bodies/6/velocity", Json::array({1, 0, 0}), "bodies[6].velocity"},
      {"/bodies/7/poisson_ratio", 0.5, "bodies[7].poisson_ratio"},
      {"/bodies/7/young_modulus", nullptr, "bodies[7]"},
      // Generators.
      {"/generators/0/name", nullptr, "generators[0]"},
      {"/generators/0/type", "heap", "generators[0].type"},
      {"/generators/0/bricks", 0, "generators[0].bricks"},
      {"/generators/0/bricks", 2.5, "generators[0].bricks"},
      {"/generators/0/planks", 3, "generators[0]"},
      {"/generators/1/plank_size/0", 0, "generators[1].plank_size[0]"},
      {"/generators/2/radius", nullptr, "generators[2]"},
      {"/generators/3/shapes/0", "cone", "generators[3].shapes[0]"},
      {"/generators/3/size", 0.1, "generators[3].size"},
      {"/generators/3/seed", -1, "generators[3].seed"},
      {"/generators/4/body", nullptr, "generators[4]"},
      {"/generators/4/body/shape/size/0", -1, "generators[4].body.shape.size[0]"},
      // Joints, loads, motions.
      {"/joints/0/type", nullptr, "joints[0]"},
      {"/joints/0/point", nullptr, "joints[0]"},
      {"/joints/0/bodies", Json::array(), "joints[0].bodies"},
      {"/joints/0/bodies", Json::array({"a", "b", "c"}), "joints[0].bodies"},
      {"/joints/0/collide", "no", "joints[0].collide"},
      {"/joints/2/velocity", nullptr, "joints[2]"},
      {"/joints/2/velocity", "fast", "joints[2].velocity"},
      {"/joints/2/velocity/times", nullptr, "joints[2].velocity"},
      {"/joints/2/velocity/times", Json::array(), "joints[2].velocity.times"},
      {"/joints/3/points", Json::parse("[[0, 0, 0]]"), "joints[3].points"},
      {"/joints/4/stiffness", -1, "joints[4].stiffness"},
      {"/joints/5/point", Json::array({0, 0}), "joints[5].point"},
      {"/joints/6/axis", Json::array({0, 0, 1}), "joints[6]"},
      {"/loads/0/body", nullptr, "loads[0]"},
      {"/loads/0/force", nullptr, "loads[0]"},
      {"/loads/0/force", 10, "loads[0].force"},
      {"/loads/1/force/values/1", Json::array({5, 0}), "loads[1].force.values[1]"},
      {"/motions/0/velocity", Json::array({0, 0, 0}), "motions[0]"},
      {"/motions/1/body", 3, "motions[1].body"},
      {"/excluded_pairs/0", Json::array({"box"}), "excluded_pairs[0]"},
  };
}

std::vector<Mutant> far_mutants() {
  return {
      {"/surfaces/ice/kinetic_friction", 0.2, "surfaces.ice.kinetic_friction"},
      {"/pairs/0/surfaces/1", "snow", "pairs[0].surfaces[1]"},
      {"/bodies/0/shape/surface", "ston", "bodies[0].shape.surface"},
      {"/bodies/1/shapes/0/heights/1", Json::array({0, 0}), "bodies[1].shapes[0].heights[1]"},
      {"/bodies/1/shapes/0/density", 1000, "bodies[1].shapes[0]"},
      {"/bodies/2/name", "ground", "bodies[2].name"},
      {"/bodies/2/orientation", Json::array({1, 1, 0, 0}), "bodies[2].orientation"},
      {"/bodies/2/orientation", Json::parse(R"({"axis": [0, 0, 0], "degrees": 1})"), "bodies[2].orientation.axis"},
      {"/bodies/2/density", nullptr, "bodies[2].shapes[0]"},
      {"/bodies/2/shapes/0", Json::parse(R"({"type": "plane"})"), "bodies[2].shapes[0]"},
      {"/bodies/2/shapes/4", Json::parse(R"({"type": "convex_hull", "file": "none.stl"})"), "bodies[2].shapes[4].file"},
      {"/bodies/4/inertia", nullptr, "bodies[4]"},
      {"/bodies/6/position/2", 1, "bodies[6].position"},
      {"/bodies/6/orientation", Json::parse(R"({"axis": [1, 0, 0], "degrees": 1})"), "bodies[6].orientation"},
      {"/generators/0/name", "arch", "generators[2].name"},
      {"/generators/0/surface", "brick", "generators[0].surface"},
      {"/generators/2/thickness", 4, "generators[2].thickness"},
      {"/generators/3/size", Json::array({0.2, 0.1}), "generators[3].size"},
      {"/generators/4/body/name", "d", "generators[4].body.name"},
      {"/generators/4/body/density", nullptr, "generators[4].body.shape"},
      {"/joints/0/bodies/0", "fram", "\"frame\" maybe"},
      {"/joints/0/bodies", Json::array({"frame", "frame"}), "joints[0].bodies"},
      {"/joints/0/bodies", Json::array({"ground"}), "joints[0].bodies"},
      {"/joints/1/name", "ball", "joints[1].name"},
      {"/joints/1/direction", Json::array({0, 0, 0}), "joints[1].direction"},
      {"/joints/2/velocity/times", Json::array({0, 0}), "joints[2].velocity.times[1]"},
      {"/joints/2/velocity/times", Json::array({0, 1, 2}), "joints[2].velocity.values"},
      {"/joints/3/points/1", Json::array({9, 0, 5}), "joints[3].points"},
      {"/loads/0/body", "crate", "loads[0].body"},
      {"/loads/0/body", "ground", "loads[0].body"},
      {"/loads/0/body", "grain", "loads[0].torque"},
      {"/motions/0/body", "box", "motions[0].body"},
      {"/motions/0/body", "ground", "motions[1].body"},
      {"/motions/0/displacement/values/0/2", 1, "motions[0].displacement"},
      {"/excluded_pairs/0/1", "box", "excluded_pairs[0]"},
      {"/excluded_pairs/0/1", "wall[99]", "excluded_pairs[0][1]"},
      {"/robots", Json::parse(R"([{"name": "arm", "urdf": "none.urdf"}])"), "robots[0].urdf"},
  };
}

std::vector<Mutant> sound_changes() {
  return {
      {"/title", nullptr, ""},
      {"/gravity", nullptr, ""},
      {"/solver", nullptr, ""},
      {"/solver", Json::object(), ""},
      {"/solver/max_iterations", 3.0, ""},  // a whole number, however it is written
      {"/bodies/2/kind", nullptr, ""},
      {"/bodies/2/orientation", Json::array({0.7071, 0, 0, 0.7071}), ""},
      {"/generators", nullptr, ""},
      {"/generators/0/half_bricks", false, ""},
      {"/joints/2/velocity", 3, ""},
      {"/loads/0/torque", nullptr, ""},
      {"/excluded_pairs/0/1", "wall[3]", ""},
      {"/output/every", 0, ""},
  };
}

Json changed(const Mutant& mutant) {
  Json scene = full_scene();
  const Json::json_pointer pointer(mutant.pointer);
  if (!mutant.value.is_null()) {
    scene[pointer] = mutant.value;
    return scene;
  }
  Json& parent = scene[pointer.parent_pointer()];
  if (parent.is_array()) {
    parent.erase(std::stoul(pointer.back()));
  } else {
    parent.erase(pointer.back());
  }
  return scene;
}

}  // namespace locdyn::test
