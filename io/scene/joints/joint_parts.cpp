#include <locdyn/io/scene/joints/joint_parts.hpp>

#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/io/scene/time_dependence.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>

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
}

void JointBuilder::require_z(const Eigen::Vector3d& a, const char* what) {
  if (std::hypot(a.x(), a.y()) <= 1e-9 * std::abs(a.z())) return;
  throw std::invalid_argument(std::string(what) + ": expected z for planar bodies, found another");
}

}  // namespace locdyn::scene_format
