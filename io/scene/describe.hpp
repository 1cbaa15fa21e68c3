#pragma once
// The format of a scene, once: for each JSON object its keys, where their values go, what they must obey and what they
// mean. A visitor reads an object by it (`ObjectReader`) or writes its schema (`ObjectSchema`).
//
//   v.required(key, value, meaning, rule…)    v.optional(key, value, meaning, rule…)
//   v.required_unless(other, key, …)          it may be absent where `other` is there
//   v.alternative(key, variant, meaning)      the key's value names the variant's type, which adds keys of its own
//   v.alternative_or_first(…)                 the same where the key may be absent
//   v.one_or_many(key, keys, list, meaning)   one value under `key` or a list under `keys`, not both
//   v.object(key, meaning, describe)          an object whose values go where the enclosing one's go
//   v.exactly_one({…}) · v.at_most_one({…}) · v.at_least_one({…}) · v.needs(key, {…}) · v.excludes(key, {…})

#include <string_view>
#include <vector>

#include <locdyn/io/scene/describe_mechanism.hpp>
#include <locdyn/io/scene/rules.hpp>
#include <locdyn/solver/registry.hpp>

namespace locdyn::scene_format {

// --- parts of values -------------------------------------------------------------------------------------------------

/// A quantity over time where it is not constant.
template <class V, class T>
void describe(V& v, TimeSeries<T>& s) {
  v.required("times", s.times, "ascending [s]", Count{1});
  v.required("values", s.values, "one for each time; linear between them, constant before and after", Count{1});
}

/// An orientation where it is not a quaternion.
struct SceneTurn {
  std::optional<Eigen::Vector3d> axis, rpy_degrees;
  std::optional<double> degrees;
};
template <class V>
void describe(V& v, SceneTurn& t) {
  v.optional("axis", t.axis, "of any length > 0; z where absent");
  v.optional("degrees", t.degrees, "about the axis");
  v.optional("rpy_degrees", t.rpy_degrees, "about the fixed axes x, y, z in turn");
  v.exactly_one({"degrees", "rpy_degrees"});
  v.needs("axis", {"degrees"});
}

// --- surfaces --------------------------------------------------------------------------------------------------------

template <class V>
void describe(V& v, SceneMaterial& m) {
  v.optional("friction", m.friction, "friction coefficient, static and kinetic", kFriction);
  v.optional("static_friction", m.static_friction, "beyond which a sticking contact slips", kFriction);
  v.optional("kinetic_friction", m.kinetic_friction, "of a contact that slips, at most the static one", kFriction);
  v.optional("restitution", m.restitution, "coefficient of restitution of Newton's law of impact", kShare);
  v.optional("rolling_friction", m.rolling_friction, "largest rolling moment over the normal force [m]", kFriction);
  v.optional("torsional_friction", m.torsional_friction, "largest moment about the normal over the normal force [m]",
             kFriction);
  v.at_least_one({"friction", "static_friction"});
  v.excludes("friction", {"static_friction", "kinetic_friction"});
  v.needs("static_friction", {"kinetic_friction"});
  v.needs("kinetic_friction", {"static_friction"});
}

template <class V>
void describe(V& v, ScenePair& p) {
  v.required("surfaces", p.surfaces, "names of the two surfaces");
  describe(v, p.material);
}

// --- shapes ----------------------------------------------------------------------------------------------------------

template <class V>
void describe(V& v, Sphere& s) {
  v.required("radius", s.radius, "[m]", kPositive);
}
template <class V>
void describe(V& v, Box& s) {
  v.required("size", s.size, "edge lengths along the axes [m]", kPositive);
}
template <class V>
void describe(V& v, Capsule& s) {
  v.required("radius", s.radius, "[m]", kPositive);
  v.required("length", s.length, "of the cylindrical part, along z, without the two half-spheres [m]", kPositive);
}
template <class V>
void describe(V& v, Cylinder& s) {
  v.required("radius", s.radius, "[m]", kPositive);
  v.required("height", s.height, "from end to end, along z [m]", kPositive);
}
template <class V>
void describe(V& v, SceneHull& s) {
  v.optional("points", s.points, "at least four that span a volume [m]", Count{4});
  v.optional("file", s.file, "mesh file (STL, OBJ) whose vertices are the points, relative to the scene");
  v.optional("scale", s.scale, "of the file, along each axis", kPositive);
  v.exactly_one({"points", "file"});
  v.needs("scale", {"file"});
}
template <class V>
void describe(V& v, SceneMesh& s) {
  v.optional("vertices", s.vertices, "[m]", Count{3});
  v.optional("triangles", s.triangles, "three indices of vertices each, anticlockwise seen from the free side",
             Count{1});
  v.optional("file", s.file, "mesh file (STL, OBJ), relative to the scene");
  v.optional("scale", s.scale, "of the file, along each axis", kPositive);
  v.exactly_one({"vertices", "file"});
  v.needs("vertices", {"triangles"});
  v.needs("triangles", {"vertices"});
  v.needs("scale", {"file"});
}
template <class V>
void describe(V& v, HeightField& s) {
  v.required("heights", s.heights, "heights[i][j] at x = i dx and y = j dy, centred on the origin [m]");
  v.required("spacing", s.spacing, "dx, dy [m]", kPositive);
}
template <class V>
void describe(V&, Plane&) {}

template <class V>
void describe(V& v, ScenePlacement& p) {
  v.optional("position", p.position, "of the origin of coordinates [m]");
  v.optional("orientation", p.orientation,
             "unit quaternion [w, x, y, z], {axis, degrees} (axis z where absent), or {rpy_degrees}: about the fixed "
             "axes x, y, z in turn");
}

template <class V>
void describe(V& v, SceneGroups& g) {
  v.optional("groups", g.groups, "groups it belongs to; \"default\" where absent", Count{1});
  v.optional("collides_with", g.collides_with, "groups it meets; all where absent");
}

template <class V>
void describe(V& v, SceneShape& s) {
  v.alternative("type", s.geometry, "kind of shape");
  describe(v, s.placement);
  v.optional("density", s.density, "[kg/m³]", kPositive);
  v.optional("mass", s.mass, "[kg]", kPositive);
  v.optional("surface", s.surface, "name of its surface; the body's where absent");
  describe(v, s.groups);
  v.at_most_one({"density", "mass"});
}

// --- bodies ----------------------------------------------------------------------------------------------------------

template <class V>
void describe(V& v, SceneRigid& b) {
  v.optional("density", b.density, "of the shapes that have none [kg/m³]", kPositive);
  v.optional("mass", b.mass, "of the whole body, spread evenly over its shapes unless inertia is given [kg]",
             kPositive);
  v.optional("inertia", b.inertia,
             "about the mass centre, along the body's axes: three moments or a 3×3 matrix "
             "[kg m²]");
  v.optional("mass_center", b.mass_center, "in the coordinates that the shapes are given in [m]");
  v.optional("velocity", b.velocity, "of the mass centre, in space [m/s]");
  v.optional("angular_velocity", b.angular_velocity, "in space [rad/s]");
  v.at_most_one({"density", "mass"});
  v.needs("inertia", {"mass"});
  v.needs("mass_center", {"inertia"});
}
template <class V>
void describe(V&, SceneObstacle&) {}
template <class V>
void describe(V& v, SceneParticle& b) {
  v.required("mass", b.mass, "[kg]", kPositive);
  v.optional("velocity", b.velocity, "in space [m/s]");
}
template <class V>
void describe(V& v, ScenePlanar& b) {
  v.optional("density", b.density, "of the shapes that have none [kg/m³]", kPositive);
  v.optional("mass", b.mass, "of the whole body, spread evenly over its shapes unless inertia is given [kg]",
             kPositive);
  v.optional("inertia", b.inertia, "about z through the mass centre [kg m²]", kPositive);
  v.optional("mass_center", b.mass_center, "in the coordinates that the shapes are given in [m]");
  v.optional("velocity", b.velocity, "of the mass centre, along x and y [m/s]");
  v.optional("angular_velocity", b.angular_velocity, "about z [rad/s]");
  v.at_most_one({"density", "mass"});
  v.needs("inertia", {"mass"});
  v.needs("mass_center", {"inertia"});
}
template <class V>
void describe(V& v, ScenePseudoRigid& b) {
  v.optional("density", b.density, "of the shapes that have none [kg/m³]", kPositive);
  v.optional("mass", b.mass, "of the whole body, spread evenly over its shapes [kg]", kPositive);
  v.required("young_modulus", b.young_modulus, "[Pa]", kPositive);
  v.required("poisson_ratio", b.poisson_ratio, "", Range{-1, 0.5, true, true});
  v.optional("velocity", b.velocity, "of the mass centre, in space [m/s]");
  v.optional("angular_velocity", b.angular_velocity, "in space [rad/s]");
  v.at_most_one({"density", "mass"});
}

template <class V>
void describe(V& v, SceneBody& b) {
  v.optional("name", b.name, "by which joints, loads, motions and messages refer to it; unique");
  v.alternative_or_first("kind", b.kind, "kind of body");
  describe(v, b.placement);
  v.one_or_many("shape", "shapes", b.shapes, "what it is made of and touches others with");
  v.optional("surface", b.surface, "of shapes that name none");
  describe(v, b.groups);
}

// --- what moves them -------------------------------------------------------------------------------------------------

template <class V>
void describe(V& v, SceneLoad& l) {
  v.required("body", l.body, "name of the body");
  v.optional("force", l.force, "in space [N]");
  v.optional("torque", l.torque, "in space [N m]");
  v.optional("point", l.point,
             "where the force acts, in space at start, carried by the body; the mass centre where "
             "absent [m]");
  v.at_least_one({"force", "torque"});
  v.needs("point", {"force"});
}

template <class V>
void describe(V& v, SceneMotion& m) {
  v.required("body", m.body, "name of the obstacle");
  v.optional("velocity", m.velocity, "of the origin of its coordinates, in space [m/s]");
  v.optional("angular_velocity", m.angular_velocity, "about that origin, in space [rad/s]");
  v.optional("displacement", m.displacement, "of that origin since the start, zero at time 0 [m]");
  v.optional("rotation", m.rotation, "rotation vector since the start, in space, zero at time 0 [rad]");
  v.at_least_one({"velocity", "angular_velocity", "displacement", "rotation"});
  v.at_most_one({"velocity", "displacement"});
  v.at_most_one({"angular_velocity", "rotation"});
}

// --- generators ------------------------------------------------------------------------------------------------------

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
  v.required("urdf", r.urdf, "URDF file, relative to the scene");
  describe(v, r.placement);
  v.optional("fixed_base", r.fixed_base, "is the root link held in space?");
  v.optional("surface", r.surface, "of all links");
}

// --- the whole -------------------------------------------------------------------------------------------------------

template <class V>
void describe(V& v, Scene& s) {
  static const std::vector<std::string_view> solver_names = [] {
    std::vector<std::string_view> names;
    for (const SolverEntry& entry : solvers()) names.push_back(entry.name);
    return names;
  }();
  v.annotation("$schema", "where the schema lies, for editors");
  v.optional("title", s.title, "one line");
  v.required_unless("kinematics", "step", s.stepping.step, "h [s]", kPositive);
  v.required_unless("kinematics", "duration", s.duration, "[s]", kPositive);
  v.optional("gravity", s.gravity, "[m/s²]");
  v.object("solver", "of the contact problem of each step", [&s](auto& o) {
    o.optional("name", s.stepping.solver, "which", OneOf{solver_names});
    o.optional("tolerance", s.stepping.tolerance, "on the scaled residual", kPositive);
    o.optional("velocity_tolerance", s.stepping.velocity_tolerance, "the residual as a velocity, enough too [m/s]",
               kNotNegative);
    o.optional("sweep_budget", s.stepping.sweep_budget, "at most so many sweeps of each island a step; 0: no limit",
               from_to(0, 1e15));
    o.optional("max_iterations", s.stepping.max_iterations, "of each island", from_to(0, 1e15));
    o.optional("on_failure", s.stepping.on_failure, "where a step does not converge");
  });
  v.object("correction", "of penetration", [&s](auto& o) {
    o.optional("kind", s.stepping.correction, "how");
    o.optional("slop", s.stepping.slop, "penetration that is left alone [m]", kNotNegative);
    o.optional("alpha", s.stepping.baumgarte_alpha, "Baumgarte: share taken back in a step", kShare);
    o.optional("beta", s.stepping.baumgarte_beta, "Baumgarte: largest velocity asked for [m/s]", kNotNegative);
  });
  v.optional("sleep", s.stepping.sleep, "what rests costs nothing until something touches it");
  v.optional("allow_overlap", s.allow_overlap, "of two bodies at start [m]; 1e-4 of the smaller shape where absent",
             kNotNegative);
  v.optional("surfaces", s.surfaces, "materials by name; \"default\" is there, without friction, unless given here");
  v.optional("pairs", s.pairs, "materials of pairs of surfaces; else geometric means of friction, larger restitution");
  v.optional("bodies", s.bodies, "");
  v.optional("generators", s.generators, "many bodies at once");
  v.optional("robots", s.robots, "URDF files");
  v.optional("joints", s.joints, "");
  v.optional("forces", s.forces, "applied forces that the state decides, taken half-way through each step");
  v.optional("loads", s.loads, "forces and torques over time");
  v.optional("motions", s.motions, "prescribed, of obstacles");
  v.optional("excluded_pairs", s.excluded_pairs, "names of two bodies each that do not touch");
  v.optional("smooth", s.smooth,
             "a mechanism in motion without contacts, integrated over the duration; results every step times "
             "output.every");
  v.optional("kinematics", s.kinematics,
             "a mechanism along the path of one drive, without contacts: positions, velocities, accelerations, and "
             "the drive's force or torque against the loads at rest");
  v.excludes("smooth", {"kinematics"});
  v.object("output", "of locdyn simulate -o", [&s](auto& o) {
    o.optional("every", s.output.every, "steps from one frame of the trajectory to the next; 0: none", from_to(0, 1e9));
    o.optional("dump_problems", s.output.dump_problems, "contact problem as a file every so many steps; 0: never",
               from_to(0, 1e9));
    o.optional("checkpoint", s.output.checkpoint, "every so many steps; 0: at the end alone", from_to(0, 1e9));
  });
}

}  // namespace locdyn::scene_format
