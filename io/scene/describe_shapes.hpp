#pragma once
// The keys of surfaces and shapes (see describe.hpp).

#include <locdyn/io/scene/describe_values.hpp>
#include <locdyn/io/scene/rules.hpp>

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneMaterial& m) {
  v.optional("friction", m.friction, "friction coefficient, static and kinetic", kFriction);
  v.optional("static_friction", m.static_friction, "beyond which a sticking contact slips", kFriction);
  v.optional("kinetic_friction", m.kinetic_friction, "of a contact that slips, at most the static one", kFriction);
  v.optional("cross_friction", m.cross_friction,
             "across the friction_direction of the shapes, where friction or static_friction is that along it",
             kFriction);
  v.optional("restitution", m.restitution, "coefficient of restitution of Newton's law of impact", kShare);
  v.optional("rolling_friction", m.rolling_friction, "largest rolling moment over the normal force [m]", kFriction);
  v.optional("torsional_friction", m.torsional_friction, "largest moment about the normal over the normal force [m]",
             kFriction);
  v.optional("stiffness", m.stiffness, "of a spring at each point of contact, which pushes alone [N/m]; hard without",
             kStiffness);
  v.optional("hertz_stiffness", m.hertz_stiffness,
             "K of Hertz's spring F = K d^1.5 at each point [N/m^1.5], in place of that one; beside it behind it",
             kStiffness);
  v.optional("damping", m.damping, "of a damper beside these springs [N s/m]", kDamping);
  v.optional("tangential_stiffness", m.tangential_stiffness,
             "of a spring along the surface at each point that sticks, beside those along the normal [N/m]",
             kStiffness);
  v.optional("tangential_damping", m.tangential_damping, "of a damper beside that spring [N s/m]", kDamping);
  v.needs("tangential_damping", {"tangential_stiffness"});
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
  v.optional("surface_velocity", s.surface_velocity,
             "how its surface runs beside the body, as that of a belt does, in coordinates of the shape [m/s]");
  v.optional("friction_direction", s.friction_direction,
             "along which friction counts beside a cross_friction, in coordinates of the shape, of any length > 0");
  describe(v, s.groups);
  v.at_most_one({"density", "mass"});
}

}  // namespace locdyn::scene_format
