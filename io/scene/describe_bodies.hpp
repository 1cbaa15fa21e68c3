#pragma once
// The keys of bodies, of loads on them and of motions of obstacles (see describe.hpp).

#include <locdyn/io/scene/describe_shapes.hpp>
#include <locdyn/io/scene/rules.hpp>

namespace locdyn::scene_format {

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

}  // namespace locdyn::scene_format
