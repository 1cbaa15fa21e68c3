#include <locdyn/forces/penalty/carried_plane.hpp>

#include <stdexcept>
#include <string>

#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/bodies/pseudo_rigid_body.hpp>

namespace locdyn {

void CarriedPlane::attach(const BodySet& bodies, const char* what) {
  if (!body_) return;
  const KinematicBody& body = kinematic(bodies, *body_);
  if (dynamic_cast<const PseudoRigidBody*>(&body) != nullptr) {
    throw std::invalid_argument(std::string(what) + ": expected a body that stays rigid, found body " +
                                std::to_string(*body_) + ", which deforms");
  }
  origin_ = body.to_body(Eigen::Vector3d::Zero());
  for (int axis = 0; axis < 3; ++axis) axes_.col(axis) = body.to_body(Eigen::Vector3d::Unit(axis)) - origin_;
}

CarriedPlane::Pose CarriedPlane::pose(const BodySet& bodies) const {
  if (!body_) return {origin_, axes_};
  const KinematicBody& body = kinematic(bodies, *body_);
  Pose pose{body.to_space(origin_), {}};
  for (int axis = 0; axis < 3; ++axis) pose.axes.col(axis) = body.direction_motion(axes_.col(axis)).value;
  return pose;
}

}  // namespace locdyn
