#pragma once
// A system with detection, one material and bodies with one shape each: what the physics tests and benchmarks start
// from.

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn::physics {

using Eigen::Vector3d;

constexpr double kGravity = 9.81;
constexpr double kDensity = 1000;

struct Place {
  Vector3d position = Vector3d::Zero();
  Orientation orientation = Orientation::Identity();
};

class Scene {
 public:
  explicit Scene(const PairMaterial& material) : surface_(system.materials.add_surface("all", material)) {}

  BodyId add(const Shape& shape, const Place& place, double density = kDensity) {
    const MassProperties mass = mass_properties(shape, density);
    const BodyId body = system.emplace<RigidBody>(mass, place.position, place.orientation);
    system.add_collider({.body = body, .shape = shape, .position = -mass.center, .surface = surface_});
    return body;
  }
  void add_obstacle(const Shape& shape, const Place& place = {}) {
    system.add_collider({.body = system.emplace<Obstacle>(),
                         .shape = shape,
                         .position = place.position,
                         .orientation = place.orientation,
                         .surface = surface_});
  }
  /// Linear velocity in space, angular velocity in the body.
  void set_velocity(BodyId body, const Vector3d& linear, const Vector3d& angular = Vector3d::Zero()) {
    Eigen::Matrix<double, 6, 1> u;
    u << angular, linear;
    system.bodies()[body].set_velocity(u);
  }

  [[nodiscard]] SurfaceId surface() const { return surface_; }
  [[nodiscard]] const RigidBody& body(BodyId id) const { return dynamic_cast<const RigidBody&>(system.bodies()[id]); }
  [[nodiscard]] Vector3d position(BodyId id) const { return body(id).position(); }
  [[nodiscard]] Vector3d velocity(BodyId id) const { return body(id).velocity().tail<3>(); }

  System system{make_bullet_detector()};

 private:
  SurfaceId surface_;
};

}  // namespace locdyn::physics
