#include <locdyn/io/scene/joints/joint_parts.hpp>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/rotor.hpp>
#include <locdyn/forces/coordinate_force.hpp>
#include <locdyn/io/scene/time_dependence.hpp>
#include <locdyn/ldy/assembly/constraints/driven/compliant_drive.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/driven/rotor_coupling.hpp>

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

void JointFaults::require_start(const char* position, const SceneDrive& drive) const {
  require_zero_start(place + "." + position, drive.position, list);
  if (!drive.limits || ((*drive.limits)[0] <= 0 && (*drive.limits)[1] >= 0)) return;
  fault(".limits", "the least, at most 0, and the largest, at least 0: it starts at 0",
        spelled((*drive.limits)[0]) + ", " + spelled((*drive.limits)[1]));
}

void JointBuilder::add_drive(const Coordinate& coordinate, const SceneDrive& drive) const {
  if (drive.limits) {
    add<Limit>(".lower", coordinate, Side::lower, (*drive.limits)[0]);
    add<Limit>(".upper", coordinate, Side::upper, (*drive.limits)[1]);
  }
  if (!drive.position.values.empty()) add<Prescribed>(".motor", coordinate, make_function(drive.position));
  if (!drive.speed.values.empty()) {
    const TimeFunction speed = make_function(drive.speed);
    add<VelocityMotor>(".motor", coordinate, speed.value, speed.first);
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
