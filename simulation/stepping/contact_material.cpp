#include <locdyn/simulation/stepping/contact_material.hpp>

#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn::detail {
namespace {

constexpr double kNormalDirection = 1e-6;  // of its length: a direction with less in the surface has none there

// What a modifier has left of a contact.
void check_modified(const ContactToSolve& asked) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument("contact modifier: bodies " + std::to_string(asked.point.master) + " and " +
                                std::to_string(asked.point.slave) + ": " + what);
  };
  try {
    validate(asked.material);
  } catch (const std::invalid_argument& fault) {
    refuse(fault.what());
  }
  if (!asked.surface_velocity.allFinite()) refuse("surface_velocity: expected finite numbers, found others");
  if (!asked.friction_direction.allFinite()) refuse("friction_direction: expected finite numbers, found others");
}

// A vector of body coordinates, in space.
Eigen::Vector3d turned(const Body& body, const Eigen::Vector3d& vector) {
  return body.to_space(vector) - body.to_space(Eigen::Vector3d::Zero());
}

// The frame whose t1 is the part of `direction` in its tangent plane, to the side of the t1 it had, so that what turns
// through the normal does not swap its sides. The frame it had where there is no such part.
Eigen::Matrix3d directed_frame(const Eigen::Matrix3d& frame, const Eigen::Vector3d& direction) {
  const Eigen::Vector3d unit = direction / direction.cwiseAbs().maxCoeff();
  Eigen::Vector2d along = frame.leftCols<2>().transpose() * unit;
  const double length = along.norm();
  if (!(length > kNormalDirection * unit.norm())) return frame;
  along /= along[0] < 0 ? -length : length;
  if (along[0] == 1) return frame;
  Eigen::Matrix3d turned = frame;
  turned.col(0) = (frame.leftCols<2>() * along).normalized();
  turned.col(1) = frame.col(2).cross(turned.col(0));
  return turned;
}

// What messages call a body.
std::string label_of(const System& system, BodyId body) {
  const std::string& name = system.name(body);
  return name.empty() ? "body " + std::to_string(body) : '"' + name + '"';
}

// t1 along a direction in space. Reaction and velocity, in space, stay what they were. Has the frame turned?
bool turn_tangents(System& system, TrackedContact& contact, const Eigen::Vector3d& along) {
  if (along.isZero(0)) {
    const std::string a = label_of(system, contact.point.master), b = label_of(system, contact.point.slave);
    throw std::invalid_argument("contact of " + a + " and " + b +
                                ": expected a friction_direction of one of the two shapes, whose cross friction " +
                                spelled(*contact.pair.cross_friction) + " is not the friction " +
                                spelled(contact.pair.static_friction) + ", found none");
  }
  const Eigen::Matrix3d frame = directed_frame(contact.point.frame, along);
  if (frame == contact.point.frame) return false;
  const Eigen::Matrix2d turn = frame.leftCols<2>().transpose() * contact.point.frame.leftCols<2>();
  for (Eigen::Vector3d* vector : {&contact.reaction, &contact.velocity_before, &contact.point.past.velocity}) {
    vector->head<2>() = (turn * vector->head<2>()).eval();
  }
  if (contact.constraint != kNone) {
    Eigen::Vector3d& R = system.graph().row(contact.constraint).R;
    R.head<2>() = (turn * R.head<2>()).eval();
  }
  contact.point.frame = frame;
  return true;
}

}  // namespace

bool choose_material(System& system, TrackedContact& contact, double time) {
  const Collider &master = system.colliders()[contact.master], &slave = system.colliders()[contact.slave];
  contact.pair = system.materials.pair(master.surface, slave.surface);
  contact.off = false;
  Eigen::Vector3d runs = Eigen::Vector3d::Zero();
  const auto in_space = [&](const Collider& c) {
    return turned(system.bodies()[c.body], c.orientation * c.surface_velocity);
  };
  if (!master.surface_velocity.isZero(0)) runs += in_space(master);
  if (!slave.surface_velocity.isZero(0)) runs -= in_space(slave);
  const Collider& directing = master.friction_direction.isZero(0) ? slave : master;
  Eigen::Vector3d along = Eigen::Vector3d::Zero();
  if (!directing.friction_direction.isZero(0)) {
    along = turned(system.bodies()[directing.body], directing.orientation * directing.friction_direction);
  }
  if (system.contact_modifier()) {
    ContactToSolve asked{.identity = contact.identity,
                         .master = contact.master,
                         .slave = contact.slave,
                         .point = contact.point,
                         .time = time,
                         .material = contact.pair,
                         .surface_velocity = runs,
                         .friction_direction = along};
    system.contact_modifier()(asked);
    check_modified(asked);
    contact.pair = asked.material;
    contact.off = asked.off;
    runs = asked.surface_velocity;
    along = asked.friction_direction;
  }
  const bool turns = contact.pair.directed() && !contact.off && turn_tangents(system, contact, along);
  if (runs == contact.point.surface_velocity) return turns;
  contact.point.past.forget_motion();
  contact.point.surface_velocity = runs;
  return true;
}

}  // namespace locdyn::detail
