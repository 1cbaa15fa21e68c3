#include <locdyn/ldy/assembly/constraints/contact.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
namespace {

void check(const ContactPoint& point, const BodySet& bodies) {
  validate(point, bodies);
  if (!Contact::acts(point)) {
    throw std::invalid_argument("gap: expected <= 0 where restitution is " + spelled(point.material.restitution) +
                                " (such a contact is absent until it closes), found " + spelled(point.gap));
  }
}

}  // namespace

Contact::Contact(const ContactPoint& point, ContactRows rows)
    : point_(point), bodies_{point.master, point.slave}, rows_(rows) {}

void Contact::set_point(const ContactPoint& point, const BodySet& bodies) {
  if (point.master != bodies_[0] || point.slave != bodies_[1]) {
    throw std::invalid_argument("contact: expected master " + std::to_string(bodies_[0]) + " and slave " +
                                std::to_string(bodies_[1]) + ", found " + std::to_string(point.master) + " and " +
                                std::to_string(point.slave));
  }
  check(point, bodies);
  point_ = point;
}

void Contact::attach(const BodySet& bodies) {
  check(point_, bodies);
}

void Contact::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  kinematics.set_point(0, bodies, bodies_[0], point_.point, point_.frame, -1);
  kinematics.set_point(0, bodies, bodies_[1], point_.point, point_.frame, +1);
}

Law Contact::law(double h, std::span<const Eigen::Vector3d> V) const {
  const bool open = point_.gap > 0;
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();
  shift[2] = open ? point_.gap / h : point_.material.restitution * std::min(V[0][2], 0.0) - point_.feedback;
  const Eigen::Vector2d turned = (V[0] - point_.past.velocity).head<2>() / 2;
  if (point_.past.pressed && point_.past.slip < turned.norm()) shift.head<2>() = turned;
  return ContactLaw{.friction = point_.material.friction, .shift = shift, .planar = rows_ == ContactRows::plane};
}

}  // namespace locdyn
