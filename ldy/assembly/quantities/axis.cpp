#include <locdyn/ldy/assembly/quantities/axis.hpp>

#include <Eigen/Geometry>

#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/contact/local_frame.hpp>

namespace locdyn {
namespace {

HeldAxis held(const BodySet& bodies, const Axis& axis, const Eigen::Matrix3d& frame, const char* what) {
  return {material_point(bodies, {axis.point, axis.body}, what),
          material_direction(bodies, axis.body, frame.col(2), what),
          material_direction(bodies, axis.body, frame.col(0), what),
          material_direction(bodies, axis.body, frame.col(1), what)};
}

Eigen::Vector3d in_space(const BodySet& bodies, const MaterialDirection& d) {
  return d.body ? kinematic(bodies, *d.body).direction_motion(d.D).value : d.D;
}

// Checked, of unit length.
Eigen::Vector3d direction_of(const BodySet& bodies, const Axis& axis, const char* what) {
  return material_direction(bodies, std::nullopt, axis.direction, what).D;
}

}  // namespace

HeldAxis hold(const BodySet& bodies, const Axis& axis, const char* what) {
  return held(bodies, axis, local_frame(direction_of(bodies, axis, what)), what);
}

HeldAxis hold(const BodySet& bodies, const Axis& axis, const HeldAxis& other, const char* what) {
  const Eigen::Vector3d n = direction_of(bodies, axis, what);
  const Eigen::Vector3d first = in_space(bodies, other.first);
  const Eigen::Vector3d across = first - n.dot(first) * n;
  Eigen::Matrix3d frame = local_frame(n);
  if (across.norm() > 1e-3) {  // else the other's first direction lies along this axis, and any will do
    frame.col(0) = across.normalized();
    frame.col(1) = n.cross(frame.col(0));
  }
  return held(bodies, axis, frame, what);
}

}  // namespace locdyn
