#pragma once
// Bodies with their shapes in one call: what most scenes are made of.

#include <span>
#include <string>

#include <locdyn/simulation/system.hpp>

namespace locdyn {

/// Where a shape, or a body made of several, lies in space.
struct Pose {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of the origin of its coordinates [m]
  Orientation orientation = Orientation::Identity();   ///< from these coordinates to those around them
};

/// What a shape is made of.
struct Matter {
  double density = 1000;             ///< [kg/m³] > 0
  SurfaceId surface = SurfaceId{0};  ///< of its shape
};

/// A rigid body at rest: one homogeneous shape, which need not be centred at its origin. Throws std::invalid_argument
/// for what `mass_properties` and `System::add_collider` refuse; the body is then not added.
BodyId add_solid(System& system, const Shape& shape, const Matter& matter, const Pose& pose = {},
                 std::string name = {});

/// One shape of a body made of several.
struct Part {
  Shape shape;         ///< in coordinates of its own
  Matter matter = {};  ///< density and surface
  Pose pose = {};      ///< in coordinates that the parts share
};
/// A rigid body at rest: shapes that are fixed to each other. Their masses add up, overlaps included. Errors as above,
/// and where there is no part.
BodyId add_solid(System& system, std::span<const Part> parts, const Pose& pose = {}, std::string name = {});

/// An obstacle at rest, of one shape. A drive moves it about the origin of space, where it has the origin of its body
/// coordinates. Throws std::invalid_argument for what `System::add_collider` refuses; the body is then not added.
BodyId add_obstacle(System& system, const Shape& shape, SurfaceId surface = SurfaceId{0}, const Pose& pose = {},
                    std::string name = {});
/// One more shape on an obstacle; its pose in space as it was when the obstacle was made.
ColliderId add_to_obstacle(System& system, BodyId obstacle, const Shape& shape, SurfaceId surface = SurfaceId{0},
                           const Pose& pose = {});

/// Velocity of the mass centre [m/s] and angular velocity [rad/s] of a rigid body, both in space; and back. Throws
/// std::invalid_argument where the body is not rigid or a number is not finite, std::out_of_range where there is none.
struct RigidVelocity {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();   ///< of the mass centre, in space [m/s]
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();  ///< in space [rad/s]
};
/// Of a rigid body, and what it has. Throws std::invalid_argument for a body of another kind.
void set_velocity(System& system, BodyId body, const RigidVelocity& velocity);
[[nodiscard]] RigidVelocity velocity_of(const System& system, BodyId body);

/// Where its mass centre lies [m]; of an obstacle, the origin of its body coordinates.
[[nodiscard]] inline Eigen::Vector3d position_of(const System& system, BodyId body) {
  return system.bodies()[body].to_space(Eigen::Vector3d::Zero());
}

}  // namespace locdyn
