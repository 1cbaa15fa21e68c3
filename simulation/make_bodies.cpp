#include <locdyn/simulation/make_bodies.hpp>

#include <stdexcept>
#include <vector>

#include <locdyn/bodies/rigid_body.hpp>

namespace locdyn {
namespace {

// Of a System, const or not.
template <class Found, class From>
Found& rigid(From& system, BodyId body) {
  auto* found = dynamic_cast<Found*>(&system.bodies()[body]);
  if (found == nullptr) {
    throw std::invalid_argument("velocity: expected a rigid body, found body " + std::to_string(body));
  }
  return *found;
}

// Everything that can be refused is refused before the body is there.
void check_before(System& system, const Shape& shape, SurfaceId surface, const Pose& pose) {
  if (system.detector() == nullptr) {
    throw std::invalid_argument("shape: expected a system with a contact detector, found none");
  }
  validate(shape);
  if (!pose.position.allFinite()) throw std::invalid_argument("pose: position: expected finite numbers");
  (void)unit_orientation(pose.orientation);
  if (surface >= system.materials.size()) {
    throw std::invalid_argument("surface: expected an id below " + std::to_string(system.materials.size()) +
                                ", found " + std::to_string(surface));
  }
}

}  // namespace

BodyId add_solid(System& system, const Shape& shape, const Matter& matter, const Pose& pose, std::string name) {
  const Part part{shape, matter, {}};
  return add_solid(system, std::span(&part, 1), pose, std::move(name));
}

BodyId add_solid(System& system, std::span<const Part> parts, const Pose& pose, std::string name) {
  std::vector<MassProperties> masses;
  for (const Part& part : parts) {
    check_before(system, part.shape, part.matter.surface, part.pose);
    masses.push_back(moved(mass_properties(part.shape, part.matter.density), part.pose.orientation.toRotationMatrix(),
                           part.pose.position));
  }
  const MassProperties whole = combined(masses);
  const Orientation orientation = unit_orientation(pose.orientation);
  const BodyId body = system.add(
      std::make_unique<RigidBody>(whole, pose.position + orientation * whole.center, orientation), std::move(name));
  for (const Part& part : parts) {
    system.add_collider({.body = body,
                         .shape = part.shape,
                         .position = part.pose.position - whole.center,
                         .orientation = part.pose.orientation,
                         .surface = part.matter.surface});
  }
  return body;
}

BodyId add_obstacle(System& system, const Shape& shape, SurfaceId surface, const Pose& pose, std::string name) {
  check_before(system, shape, surface, pose);
  const BodyId body = system.add(std::make_unique<Obstacle>(), std::move(name));
  add_to_obstacle(system, body, shape, surface, pose);
  return body;
}

ColliderId add_to_obstacle(System& system, BodyId obstacle, const Shape& shape, SurfaceId surface, const Pose& pose) {
  return system.add_collider({.body = obstacle,
                              .shape = shape,
                              .position = pose.position,
                              .orientation = pose.orientation,
                              .surface = surface});
}

void set_velocity(System& system, BodyId body, const RigidVelocity& velocity) {
  auto& moved = rigid<RigidBody>(system, body);
  Eigen::VectorXd u(6);
  u << moved.rotation().transpose() * velocity.angular, velocity.linear;
  moved.set_velocity(u);
}

RigidVelocity velocity_of(const System& system, BodyId body) {
  const auto& found = rigid<const RigidBody>(system, body);
  return {found.velocity().tail<3>(), found.rotation() * found.velocity().head<3>()};
}

}  // namespace locdyn
