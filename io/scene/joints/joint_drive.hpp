#pragma once
// What acts on a joint's own coordinate, an angle [rad] or a length [m], zero at start: limits, a motor or a servo, a
// spring with a damper, dry friction. The same for every joint that has one; the keys differ in "torque" and "force".

#include <array>
#include <optional>

#include <locdyn/io/scene/ranges.hpp>
#include <locdyn/io/scene/time_series.hpp>
#include <locdyn/ldy/assembly/constraints/joint_friction.hpp>

namespace locdyn {

/// Solved with the contacts, at the end of the step.
struct SceneJointSpring {
  bool given = false;
  double stiffness = 0, damping = 0, rest = 0;
};

/// Towards a position, or at a speed.
struct SceneServo {
  bool given = false;
  TimeSeries<double> position, speed;  ///< one of the two has values
  double stiffness = 0, damping = 0;
  std::optional<std::array<double, 2>> range;  ///< of its force or torque
};

/// Dry friction.
struct SceneJointFriction {
  bool given = false;
  JointFriction friction = {};
};

/// A spring and a damper of a robot's file: rows solved with the contacts, or an applied force where there are no
/// steps.
struct SceneApplied {
  double stiffness = 0, damping = 0;  ///< ≥ 0
  double rest = 0;                    ///< since the start [rad] or [m]
  bool as_force = false;              ///< in a mechanism
};

/// What limits and moves a joint's one coordinate, an angle [rad] or a length [m], zero at start.
struct SceneDrive {
  std::optional<std::array<double, 2>> limits;
  double restitution = 0;                      ///< of the limits
  TimeSeries<double> position, speed;          ///< no values: none
  std::optional<std::array<double, 2>> range;  ///< of the force or torque of a motor with a speed
  SceneServo servo = {};
  SceneJointSpring spring = {};
  SceneJointFriction friction = {};
  TimeSeries<double> effort;  ///< torque [N m] or force [N] of a motor; no values: none
  double armature = 0;        ///< of a rotor that turns, or slides, along [kg m²] or [kg]
  SceneApplied applied = {};  ///< of a robot's file
};

}  // namespace locdyn

namespace locdyn::scene_format {

template <class V>
void describe_angle_friction(V& v, SceneJointFriction& f) {
  v.object("friction", "dry, against the joint's own turning, |M| <= torque + coefficient radius N", [&f](auto& o) {
    f.given = true;
    o.optional("torque", f.friction.limit, "whatever the joint carries [N m]", kNotNegative);
    o.optional("coefficient", f.friction.coefficient, "of what it carries, N", kNotNegative);
    o.optional("radius", f.friction.radius, "at which its surfaces slide; > 0 beside a coefficient [m]", kNotNegative);
    o.optional("arm", f.friction.arm, "at which moments M of its reaction load it, by M/arm; 0: not at all [m]",
               kNotNegative);
    o.at_least_one({"torque", "coefficient"});
  });
}

template <class V>
void describe_angle_drive(V& v, SceneDrive& d) {
  v.optional("limits", d.limits, "least and largest angle since the start, by the right hand [rad]");
  v.optional("restitution", d.restitution, "of the limits", kShare);
  v.optional("angle", d.position, "of a motor: what the first body has turned since the start, 0 at time 0 [rad]");
  v.optional("speed", d.speed, "of a motor [rad/s]");
  v.optional("torque_range", d.range, "least, at most 0, and largest of a motor with a speed; absent: any [N m]");
  v.object("servo", "to an angle by stiffness and damping, or at a speed by damping, within its torque", [&d](auto& o) {
    d.servo.given = true;
    o.optional("angle", d.servo.position, "since the start [rad]");
    o.optional("speed", d.servo.speed, "[rad/s]");
    o.optional("stiffness", d.servo.stiffness, "[N m/rad]", kNotNegative);
    o.optional("damping", d.servo.damping, "[N m s/rad]", kNotNegative);
    o.optional("torque_range", d.servo.range, "least, at most 0, and largest; absent: any [N m]");
    o.exactly_one({"angle", "speed"});
    o.at_least_one({"stiffness", "damping"});
  });
  v.object("spring", "and damper about the axis, solved with the contacts", [&d](auto& o) {
    d.spring.given = true;
    o.optional("stiffness", d.spring.stiffness, "[N m/rad]", kNotNegative);
    o.optional("damping", d.spring.damping, "[N m s/rad]", kNotNegative);
    o.optional("rest", d.spring.rest, "angle since the start without torque [rad]");
    o.at_least_one({"stiffness", "damping"});
  });
  describe_angle_friction(v, d.friction);
  v.at_most_one({"angle", "speed", "servo"});
  v.needs("restitution", {"limits"});
  v.needs("torque_range", {"speed"});
}

template <class V>
void describe_length_drive(V& v, SceneDrive& d) {
  v.optional("limits", d.limits, "least and largest displacement since the start, along the axis [m]");
  v.optional("restitution", d.restitution, "of the limits", kShare);
  v.optional("displacement", d.position, "of a motor: of the first body since the start, 0 at time 0 [m]");
  v.optional("speed", d.speed, "of a motor [m/s]");
  v.optional("force_range", d.range, "least, at most 0, and largest of a motor with a speed; absent: any [N]");
  v.object("servo", "to a place by stiffness and damping, or at a speed by damping, within its force", [&d](auto& o) {
    d.servo.given = true;
    o.optional("displacement", d.servo.position, "since the start [m]");
    o.optional("speed", d.servo.speed, "[m/s]");
    o.optional("stiffness", d.servo.stiffness, "[N/m]", kNotNegative);
    o.optional("damping", d.servo.damping, "[N s/m]", kNotNegative);
    o.optional("force_range", d.servo.range, "least, at most 0, and largest; absent: any [N]");
    o.exactly_one({"displacement", "speed"});
    o.at_least_one({"stiffness", "damping"});
  });
  v.object("spring", "and damper along the axis, solved with the contacts", [&d](auto& o) {
    d.spring.given = true;
    o.optional("stiffness", d.spring.stiffness, "[N/m]", kNotNegative);
    o.optional("damping", d.spring.damping, "[N s/m]", kNotNegative);
    o.optional("rest", d.spring.rest, "displacement since the start without force [m]");
    o.at_least_one({"stiffness", "damping"});
  });
  v.object("friction", "dry, against sliding, |F| <= force + coefficient N", [&d](auto& o) {
    d.friction.given = true;
    o.optional("force", d.friction.friction.limit, "whatever the joint carries [N]", kNotNegative);
    o.optional("coefficient", d.friction.friction.coefficient, "of what it carries, N", kNotNegative);
    o.optional("arm", d.friction.friction.arm,
               "at which moments M of its reaction load it, by M/arm; 0: not at all [m]", kNotNegative);
    o.at_least_one({"force", "coefficient"});
  });
  v.at_most_one({"displacement", "speed", "servo"});
  v.needs("restitution", {"limits"});
  v.needs("force_range", {"speed"});
}

/// The keys of a drive that a hinge and a prismatic joint share.
template <class V>
void describe_loads(V& v, SceneDrive& d, bool turns) {
  v.optional("effort", d.effort,
             turns ? "torque of a motor about the axis, on the first body [N m]"
                   : "force of a motor along the axis, on the first body [N]");
  v.optional("armature", d.armature,
             turns ? "inertia of a motor's rotor, times the square of its gear ratio [kg m²]"
                   : "inertia of a motor's rotor as it is felt along the axis [kg]",
             kNotNegative);
}

}  // namespace locdyn::scene_format
