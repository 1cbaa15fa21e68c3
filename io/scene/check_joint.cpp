#include <locdyn/io/scene/check_joint.hpp>

#include <Eigen/Geometry>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn::scene_format {
namespace {

struct JointChecker {
  const SceneJoint& joint;
  ReadContext& context;

  void fault(const char* key, const std::string& expected, const std::string& found) const {
    context.fault(joint.place + key, expected, found);
  }
  void direction(const char* key, const Eigen::Vector3d& direction) const {
    if (!(direction.norm() > 0)) fault(key, "a vector of length > 0", "zero");
  }
  void across(const char* key, const Eigen::Vector3d& a, const Eigen::Vector3d& b, const char* expected) const {
    if (a.cross(b).norm() <= 1e-9 * a.norm() * b.norm()) fault(key, expected, "parallel ones");
  }
  void different(const std::array<Eigen::Vector3d, 2>& points) const {
    if (points[0] == points[1]) fault(".points", "two different points", "one");
  }
  void not_zero(const char* key, double value) const {
    if (value == 0) fault(key, "a number that is not 0", "0");
  }
  void drive(const SceneDrive& drive, const char* position) const {
    require_zero_start(joint.place + position, drive.position, context);
    if (drive.limits && !((*drive.limits)[0] <= 0 && (*drive.limits)[1] >= 0)) {
      fault(".limits", "the least, at most 0, and the largest, at least 0: it starts at 0",
            spelled((*drive.limits)[0]) + ", " + spelled((*drive.limits)[1]));
    }
  }

  void operator()(const SceneFixedPoint&) const {}
  void operator()(const SceneFixedDirection& j) const { direction(".direction", j.direction); }
  void operator()(const ScenePrescribedVelocity& j) const { direction(".direction", j.direction); }
  void operator()(const SceneRigidLink& j) const { different(j.points); }
  void operator()(const SceneSpringDamper& j) const {
    if (!(j.stiffness + j.damping > 0)) fault("", "stiffness or damping > 0", "both zero");
    different(j.points);
  }
  void operator()(const SceneHinge& j) const {
    direction(".axis", j.axis);
    drive(j.drive, ".angle");
  }
  void operator()(const ScenePrismatic& j) const {
    direction(".axis", j.axis);
    drive(j.drive, ".displacement");
  }
  void operator()(const SceneCylindrical& j) const { direction(".axis", j.axis); }
  void operator()(const SceneScrew& j) const {
    direction(".axis", j.axis);
    not_zero(".pitch", j.pitch);
  }
  void operator()(const SceneUniversal& j) const {
    across(".axes", j.axes[0], j.axes[1], "two directions at right angles");
  }
  void operator()(const SceneWeld&) const {}
  void operator()(const ScenePointOnLine& j) const { direction(".direction", j.direction); }
  void operator()(const ScenePointOnPlane& j) const { direction(".normal", j.normal); }
  void operator()(const SceneGear& j) const {
    direction(".axes[0]", j.axes[0]);
    direction(".axes[1]", j.axes[1]);
    not_zero(".ratio", j.ratio);
    if (joint.bodies.size() == 1) fault(".bodies", "two bodies of a gear", "one");
  }
  void operator()(const SceneRollingWheel& j) const {
    across(".axle", j.axle, j.normal, "an axle across the normal, both of length > 0");
  }
};

}  // namespace

void check_joint(const SceneJoint& joint, ReadContext& context) {
  std::visit(JointChecker{joint, context}, joint.type);
}

}  // namespace locdyn::scene_format
