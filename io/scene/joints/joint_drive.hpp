#pragma once
// What acts on a joint's own coordinate, an angle [rad] or a length [m], zero at start: limits, a motor or a servo, a
// spring with a damper, dry friction, an effort, a rotor. One description for every joint that has a coordinate, and
// for robots' files; `DriveTerms` says what differs between angles and lengths: keys and units.

#include <array>
#include <optional>

#include <locdyn/io/scene/ranges.hpp>
#include <locdyn/io/scene/time_series.hpp>
#include <locdyn/ldy/assembly/constraints/joint_friction.hpp>

namespace locdyn {

/// Solved with the contacts, at the end of the step; in a mechanism a force of the state.
struct SceneJointSpring {
  bool given = false;
  double stiffness = 0, damping = 0, rest = 0;
};

/// Stiffness towards a position, damping towards a speed: without a speed that of the position. As a spring, it is
/// solved with the contacts, and a force of the state in a mechanism.
struct SceneServo {
  bool given = false;
  TimeSeries<double> position, speed;  ///< one of the two has values, or both
  double stiffness = 0, damping = 0;
  std::optional<std::array<double, 2>> range;  ///< of its force or torque
};

/// Dry friction.
struct SceneJointFriction {
  bool given = false;
  JointFriction friction = {};
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
};

}  // namespace locdyn

namespace locdyn::scene_format {

/// How the keys of a drive are called, and what they mean, where its coordinate is an angle or a length.
struct DriveTerms {
  FrictionOf coordinate;
  // Keys: of the position, of the range of force, of the limit of friction.
  const char *position, *range, *bound;
  // Meanings, in the order in which the keys come.
  const char *limits, *motor, *speed, *motor_range;
  const char *servo, *servo_position, *servo_speed, *stiffness, *damping, *servo_range;
  const char *spring, *rest;
  const char *friction, *friction_bound;
  const char *effort, *armature;
};

inline constexpr DriveTerms kAngleTerms = {
    .coordinate = FrictionOf::angle,
    .position = "angle",
    .range = "torque_range",
    .bound = "torque",
    .limits = "least and largest angle since the start, by the right hand [rad]",
    .motor = "of a motor: what the first body has turned since the start, 0 at time 0 [rad]",
    .speed = "of a motor [rad/s]",
    .motor_range = "least, at most 0, and largest of a motor with a speed; absent: any [N m]",
    .servo = "to an angle by stiffness, to a speed by damping, within its torque",
    .servo_position = "since the start [rad]",
    .servo_speed = "that of the angle where absent [rad/s]",
    .stiffness = "[N m/rad]",
    .damping = "[N m s/rad]",
    .servo_range = "least, at most 0, and largest; absent: any [N m]",
    .spring = "and damper about the axis, solved with the contacts",
    .rest = "angle since the start without torque [rad]",
    .friction = "dry, against the joint's own turning, |M| <= torque + coefficient radius N",
    .friction_bound = "whatever the joint carries [N m]",
    .effort = "torque of a motor about the axis, on the first body [N m]",
    .armature = "inertia of a motor's rotor, times the square of its gear ratio [kg m²]"};

inline constexpr DriveTerms kLengthTerms = {
    .coordinate = FrictionOf::length,
    .position = "displacement",
    .range = "force_range",
    .bound = "force",
    .limits = "least and largest displacement since the start, along the axis [m]",
    .motor = "of a motor: of the first body since the start, 0 at time 0 [m]",
    .speed = "of a motor [m/s]",
    .motor_range = "least, at most 0, and largest of a motor with a speed; absent: any [N]",
    .servo = "to a place by stiffness, to a speed by damping, within its force",
    .servo_position = "since the start [m]",
    .servo_speed = "that of the displacement where absent [m/s]",
    .stiffness = "[N/m]",
    .damping = "[N s/m]",
    .servo_range = "least, at most 0, and largest; absent: any [N]",
    .spring = "and damper along the axis, solved with the contacts",
    .rest = "displacement since the start without force [m]",
    .friction = "dry, against sliding, |F| <= force + coefficient N",
    .friction_bound = "whatever the joint carries [N]",
    .effort = "force of a motor along the axis, on the first body [N]",
    .armature = "inertia of a motor's rotor as it is felt along the axis [kg]"};

/// Those of joints whose coordinate is one.
[[nodiscard]] inline const DriveTerms& drive_terms(FrictionOf coordinate) {
  return coordinate == FrictionOf::angle ? kAngleTerms : kLengthTerms;
}

template <class V>
void describe_friction(V& v, SceneJointFriction& f, const DriveTerms& terms) {
  v.object("friction", terms.friction, [&](auto& o) {
    f.given = true;
    o.optional(terms.bound, f.friction.limit, terms.friction_bound, kNotNegative);
    o.optional("coefficient", f.friction.coefficient, "of what it carries, N", kNotNegative);
    if (terms.coordinate == FrictionOf::angle) {
      o.optional("radius", f.friction.radius, "at which its surfaces slide; > 0 beside a coefficient [m]",
                 kNotNegative);
    }
    o.optional("arm", f.friction.arm, "at which moments M of its reaction load it, by M/arm; 0: not at all [m]",
               kNotNegative);
    o.at_least_one({terms.bound, "coefficient"});
  });
}

template <class V>
void describe_drive(V& v, SceneDrive& d, const DriveTerms& terms) {
  v.optional("limits", d.limits, terms.limits);
  v.optional("restitution", d.restitution, "of the limits", kShare);
  v.optional(terms.position, d.position, terms.motor);
  v.optional("speed", d.speed, terms.speed);
  v.optional(terms.range, d.range, terms.motor_range);
  v.object("servo", terms.servo, [&](auto& o) {
    d.servo.given = true;
    o.optional(terms.position, d.servo.position, terms.servo_position);
    o.optional("speed", d.servo.speed, terms.servo_speed);
    o.optional("stiffness", d.servo.stiffness, terms.stiffness, kNotNegative);
    o.optional("damping", d.servo.damping, terms.damping, kNotNegative);
    o.optional(terms.range, d.servo.range, terms.servo_range);
    o.at_least_one({terms.position, "speed"});
    o.at_least_one({"stiffness", "damping"});
  });
  v.object("spring", terms.spring, [&](auto& o) {
    d.spring.given = true;
    o.optional("stiffness", d.spring.stiffness, terms.stiffness, kNotNegative);
    o.optional("damping", d.spring.damping, terms.damping, kNotNegative);
    o.optional("rest", d.spring.rest, terms.rest);
    o.at_least_one({"stiffness", "damping"});
  });
  describe_friction(v, d.friction, terms);
  v.at_most_one({terms.position, "speed", "servo"});
  v.needs("restitution", {"limits"});
  v.needs(terms.range, {"speed"});
  v.optional("effort", d.effort, terms.effort);
  v.optional("armature", d.armature, terms.armature, kNotNegative);
}

}  // namespace locdyn::scene_format
