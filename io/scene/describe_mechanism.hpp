#pragma once
// The keys of "smooth" and "kinematics" (see describe.hpp).

#include <locdyn/io/scene/rules.hpp>
#include <locdyn/io/scene/scene_mechanism.hpp>

namespace locdyn::scene_format {

template <class V>
void describe(V& v, SceneSmooth& s) {
  v.optional("integrator", s.integrator,
             "runge_kutta, bdf (stiff forces) and adams control their error; generalised_alpha and half_step take "
             "steps of \"step\"");
  v.optional("rtol", s.rtol, "relative tolerance, with error control; 1e-9 where absent", kPositive);
  v.optional("atol", s.atol, "absolute tolerance, with error control; 1e-11 where absent", kNotNegative);
  v.optional("max_step", s.max_step, "with error control [s]; none where absent", kPositive);
  v.optional("stabilisation", s.stabilisation, "with error control; projection where absent");
  v.optional("alpha", s.alpha, "of baumgarte [1/s]; 10 where absent", kNotNegative);
  v.optional("beta", s.beta, "of baumgarte [1/s]; 10 where absent", kNotNegative);
  v.optional("spectral_radius", s.spectral_radius, "of generalised_alpha: 1 damps nothing; 0.8 where absent", kShare);
}

template <class V>
void describe(V& v, SceneAnchor& a) {
  v.optional("body", a.body, "name of the body; space where absent");
  v.optional("point", a.point, "in space at start, carried by the body; its mass centre where absent [m]");
  v.at_least_one({"body", "point"});
}

template <class V>
void describe(V& v, SceneAngle& a) {
  v.required("vectors", a.vectors, "two, each from point to point: the angle is from the first to the second");
  v.optional("normal", a.normal, "about which it is taken, by the right hand, in space; z where absent");
}

template <class V>
void describe(V& v, SceneKinematics& k) {
  v.optional("joint", k.joint, "name of the driven joint: angle of a hinge or screw, displacement of a prismatic one");
  v.optional("angle", k.angle, "driven angle between two vectors, turns counted from −π … π at start");
  v.optional("distance", k.distance, "driven distance of two points");
  v.required("from", k.from, "value of the drive at which the path begins [rad or m]; a joint's is 0 at start");
  v.required("to", k.to, "value at which it ends [rad or m]");
  v.required("step", k.step, "from one point of the path to the next [rad or m]", kPositive);
  v.optional("rate", k.rate, "with which the drive goes from \"from\" to \"to\" [rad/s or m/s]", kPositive);
  v.exactly_one({"joint", "angle", "distance"});
}

}  // namespace locdyn::scene_format
