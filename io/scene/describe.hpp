#pragma once
// The format of a scene, once: for each JSON object its keys, where their values go, what they must obey and what they
// mean. A visitor reads an object by it (`ObjectReader`) or writes its schema (`ObjectSchema`). Here the scene itself;
// its parts are in describe_values, describe_shapes, describe_bodies, describe_generators and describe_mechanism, each
// joint and force in its own file (joints.hpp, forces.hpp).
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

#include <locdyn/io/scene/describe_bodies.hpp>
#include <locdyn/io/scene/describe_generators.hpp>
#include <locdyn/io/scene/describe_mechanism.hpp>
#include <locdyn/io/scene/rules.hpp>
#include <locdyn/solver/registry.hpp>

namespace locdyn::scene_format {

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
    o.optional("tolerance", s.stepping.stop.tolerance, "on the scaled residual", kPositive);
    o.optional("velocity_tolerance", s.stepping.velocity_tolerance, "the residual as a velocity, enough too [m/s]",
               kNotNegative);
    o.optional("sweep_budget", s.stepping.sweep_budget, "at most so many sweeps of each island a step; 0: no limit",
               from_to(0, 1e15));
    o.optional("least_norm", s.stepping.least_norm, "of all reactions with the same velocities those of least norm");
    o.optional("max_iterations", s.stepping.stop.max_iterations, "of each island", from_to(0, 1e15));
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
  v.optional("robots", s.robots, "robots from files in URDF or MJCF");
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
