#include <locdyn/io/scene/joints/joint_parts.hpp>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/rotor.hpp>
#include <locdyn/forces/coordinate_force.hpp>
#include <locdyn/io/scene/time_dependence.hpp>
#include <locdyn/ldy/assembly/constraints/driven/compliant_drive.hpp>
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

void JointFaults::require_drive(const char* position, const SceneDrive& drive) const {
  require_zero_start(place + "." + position, drive.position, list);
  if (drive.limits && !((*drive.limits)[0] <= 0 && (*drive.limits)[1] >= 0)) {
    fault(".limits", "the least, at most 0, and the largest, at least 0: it starts at 0",
          spelled((*drive.limits)[0]) + ", " + spelled((*drive.limits)[1]));
  }
  const char* range_key = position == std::string_view("angle") ? ".torque_range" : ".force_range";
  const auto require_range = [&](const std::string& key, const std::optional<std::array<double, 2>>& range) {
    if (!range || ((*range)[0] <= 0 && (*range)[1] >= 0)) return;
    fault(key.c_str(), "the least, at most 0, and the largest, at least 0",
          spelled((*range)[0]) + ", " + spelled((*range)[1]));
  };
  require_range(range_key, drive.range);
  const SceneServo& servo = drive.servo;
  if (servo.given) {
    require_range(std::string(".servo") + range_key, servo.range);
    if (!(servo.stiffness + servo.damping > 0)) fault(".servo", "stiffness or damping > 0", "both zero");
    if (!servo.speed.values.empty() && servo.stiffness > 0) {
      fault(".servo.stiffness", "none of a servo with a speed, which holds no place", spelled(servo.stiffness));
    }
  }
  if (drive.spring.given && !(drive.spring.stiffness + drive.spring.damping > 0)) {
    fault(".spring", "stiffness or damping > 0", "both zero");
  }
  require_friction(drive.friction, position == std::string_view("angle") ? FrictionOf::angle : FrictionOf::length);
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

// Without a position it holds none: its speed alone counts.
TimeFunction target_of(const SceneServo& servo) {
  if (!servo.position.values.empty()) return make_function(servo.position);
  TimeFunction target = constant_function(0);
  target.first = make_function(servo.speed).value;
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
  if (drive.servo.given) {
    const ServoGains gains{drive.servo.stiffness, drive.servo.damping, range_of(drive.servo.range)};
    add<Servo>(".motor", coordinate, gains, target_of(drive.servo));
  }
  if (drive.spring.given) {
    const SpringProperties properties{drive.spring.stiffness, drive.spring.damping};
    add<CoordinateSpring>(".spring", coordinate, properties, drive.spring.rest);
  }
  if (drive.friction.given && !friction_of(drive)) {
    add<DryFriction>(".friction", coordinate, drive.friction.friction.limit);
  }
  if (drive.armature > 0) add_rotor(coordinate, drive.armature);
  std::function<double(double)> effort;
  if (!drive.effort.values.empty()) effort = [series = drive.effort](double t) { return series.at(t); };
  const SceneApplied& applied = drive.applied;
  const bool spring = applied.stiffness > 0 || applied.damping > 0;
  if (spring && !applied.as_force) {
    add<CompliantDrive>(".spring", coordinate, SpringProperties{applied.stiffness, applied.damping}, applied.rest,
                        effort);
  } else if (spring || effort) {
    system.add_force(
        std::make_unique<CoordinateForce>(
            coordinate, CoordinateForceProperties{applied.stiffness, applied.damping, applied.rest, effort}),
        name.empty() ? name : name + ".force");
  }
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
