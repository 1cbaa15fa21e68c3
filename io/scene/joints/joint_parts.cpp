#include <locdyn/io/scene/joints/joint_parts.hpp>

#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/rotor.hpp>
#include <locdyn/forces/coordinate_force.hpp>
#include <locdyn/io/scene/time_dependence.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/driven/rotor_coupling.hpp>
#include <locdyn/ldy/assembly/constraints/driven/servo.hpp>

namespace locdyn::scene_format {

void JointFaults::require_direction(const char* key, const Eigen::Vector3d& direction) const {
  if (!(direction.norm() > 0)) fault(key, "a vector of length > 0", "zero");
}

void JointFaults::require_across(const char* key, const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                                 const char* expected) const {
  if (a.cross(b).norm() <= 1e-9 * a.norm() * b.norm()) fault(key, expected, "parallel ones");
}

void JointFaults::require_different(const char* key, const std::array<Eigen::Vector3d, 2>& points) const {
  if (points[0] == points[1]) fault(key, "two different points", "one");
}

void JointFaults::require_not_zero(const char* key, double value) const {
  if (value == 0) fault(key, "a number that is not 0", "0");
}

namespace {

std::string in_words(const std::array<double, 2>& range) {
  return spelled(range[0]) + ", " + spelled(range[1]);
}

}  // namespace

void JointFaults::require_drive(FrictionOf coordinate, const SceneDrive& drive) const {
  const DriveTerms& terms = drive_terms(coordinate);
  require_zero_start(place + "." + terms.position, drive.position, list);
  const auto require_around_zero = [&](const std::string& key, const std::optional<std::array<double, 2>>& range,
                                       const char* expected) {
    if (range && !((*range)[0] <= 0 && (*range)[1] >= 0)) fault(key.c_str(), expected, in_words(*range));
  };
  constexpr const char* kRange = "the least, at most 0, and the largest, at least 0";
  require_around_zero(".limits", drive.limits, "the least, at most 0, and the largest, at least 0: it starts at 0");
  require_around_zero(std::string(".") + terms.range, drive.range, kRange);
  const SceneServo& servo = drive.servo;
  if (servo.given) {
    require_around_zero(std::string(".servo.") + terms.range, servo.range, kRange);
    if (!(servo.stiffness + servo.damping > 0)) fault(".servo", "stiffness or damping > 0", "both zero");
    if (servo.position.values.empty() && servo.stiffness > 0) {
      fault(".servo.stiffness", "none of a servo with a speed, which holds no place", spelled(servo.stiffness));
    }
    if (!servo.position.values.empty() && !servo.speed.values.empty() && servo.damping == 0) {
      fault(".servo.speed", "none of a servo without damping, which follows no speed", "one");
    }
  }
  if (drive.spring.given && !(drive.spring.stiffness + drive.spring.damping > 0)) {
    fault(".spring", "stiffness or damping > 0", "both zero");
  }
  require_friction(drive.friction, coordinate);
}

void JointFaults::require_drive_of_mechanism(FrictionOf coordinate, const SceneDrive& drive) const {
  const std::string range = drive_terms(coordinate).range;
  require_no_friction(drive.friction);
  for (const auto& [key, given] :
       {std::pair("." + range, drive.range), std::pair(".servo." + range, drive.servo.range)}) {
    if (given) fault(key.c_str(), "none in a mechanism, whose motors never give way", in_words(*given));
  }
  if (drive.limits) {
    fault(".limits", "none in a mechanism, where nothing strikes: a stiff spring instead", in_words(*drive.limits));
  }
}

void JointFaults::require_friction(const SceneJointFriction& friction, FrictionOf coordinate) const {
  if (!friction.given) return;
  try {
    validate(friction.friction, coordinate);
  } catch (const std::invalid_argument& wrong) {
    list.faults.push_back(place + ".friction: " + wrong.what());
  }
}

void JointFaults::require_no_friction(const SceneJointFriction& friction) const {
  if (friction.given) fault(".friction", "none in a mechanism, where nothing sticks", "some");
}

namespace {

ForceRange range_of(const std::optional<std::array<double, 2>>& range) {
  return range ? ForceRange{.lower = (*range)[0], .upper = (*range)[1]} : ForceRange{};
}

// What a servo is told. Without a position it has no stiffness; without a speed it follows that of its position.
ServoTarget target_of(const SceneServo& servo) {
  ServoTarget target;
  if (!servo.position.values.empty()) {
    const TimeFunction position = make_function(servo.position);
    target = {position.value, position.first};
  }
  if (!servo.speed.values.empty()) target.speed = make_function(servo.speed).value;
  return target;
}

}  // namespace

void JointBuilder::add_drive(const Coordinate& coordinate, const SceneDrive& drive) const {
  if (drive.limits) {
    add<Limit>(".lower", coordinate, Side::lower, (*drive.limits)[0], drive.restitution);
    add<Limit>(".upper", coordinate, Side::upper, (*drive.limits)[1], drive.restitution);
  }
  if (!drive.position.values.empty()) add<Prescribed>(".motor", coordinate, make_function(drive.position));
  if (!drive.speed.values.empty()) {
    const TimeFunction speed = make_function(drive.speed);
    add<VelocityMotor>(".motor", coordinate, speed.value, speed.first, range_of(drive.range));
  }
  if (drive.servo.given) add_servo(coordinate, drive.servo);
  if (drive.spring.given) add_spring(coordinate, drive.spring);
  if (!friction_of(drive)) add_friction(".friction", coordinate, drive.friction);
  if (drive.armature > 0) add_rotor(coordinate, drive.armature);
  if (!drive.effort.values.empty()) {
    add_force_on(".force", coordinate, {.effort = [series = drive.effort](double t) { return series.at(t); }});
  }
}

void JointBuilder::add_servo(const Coordinate& coordinate, const SceneServo& servo) const {
  const ServoTarget target = target_of(servo);
  if (springs == Springs::rows) {
    add<Servo>(".motor", coordinate, ServoGains{servo.stiffness, servo.damping, range_of(servo.range)}, target);
    return;
  }
  const auto pull = [k = servo.stiffness, c = servo.damping, target](double t) {
    return (k > 0 ? k * target.position(t) : 0) + (c > 0 ? c * target.speed(t) : 0);
  };
  add_force_on(".motor", coordinate, {servo.stiffness, servo.damping, 0, pull});
}

void JointBuilder::add_spring(const Coordinate& coordinate, const SceneJointSpring& spring) const {
  if (springs == Springs::forces) {
    add_force_on(".spring", coordinate, {spring.stiffness, spring.damping, spring.rest, {}});
  } else {
    add<CoordinateSpring>(".spring", coordinate, SpringProperties{spring.stiffness, spring.damping}, spring.rest);
  }
}

void JointBuilder::add_friction(const char* part, const Coordinate& coordinate,
                                const SceneJointFriction& friction) const {
  if (friction.given) add<DryFriction>(part, coordinate, friction.friction.limit);
}

void JointBuilder::add_force_on(const char* part, const Coordinate& coordinate,
                                CoordinateForceProperties properties) const {
  system.add_force(std::make_unique<CoordinateForce>(coordinate, std::move(properties)),
                   name.empty() ? name : name + part);
}

// It starts as fast as the coordinate does.
void JointBuilder::add_rotor(const Coordinate& coordinate, double inertia) const {
  const BodyId rotor = system.add(std::make_unique<Rotor>(inertia), name.empty() ? name : name + ".rotor");
  Coordinate held = coordinate;
  held.take_hold(system.bodies());
  const std::vector<double> memory(held.memory_size(), 0.0);
  const Quantity x = held.measure(BodyQuantities(system.bodies(), held.bodies(), memory), 0);
  system.bodies()[rotor].set_velocity(Eigen::VectorXd::Constant(1, x.velocity));
  add<RotorCoupling>(".gear", coordinate, rotor);
}

void JointBuilder::require_z(const Eigen::Vector3d& a, const char* what) {
  if (std::hypot(a.x(), a.y()) <= 1e-9 * std::abs(a.z())) return;
  throw std::invalid_argument(std::string(what) + ": expected z for planar bodies, found another");
}

}  // namespace locdyn::scene_format
