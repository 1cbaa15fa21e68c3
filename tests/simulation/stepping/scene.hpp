#pragma once
// Bodies with shapes over a floor, and what a test of time stepping reads from them.

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn::test {

using Eigen::Vector3d;

inline BodyId add_solid(System& system, const Shape& shape, const Vector3d& position,
                        const Orientation& orientation = Orientation::Identity()) {
  const BodyId body = system.add(std::make_unique<RigidBody>(mass_properties(shape, 1000), position, orientation));
  system.add_collider({.body = body, .shape = shape});
  return body;
}

/// Angular velocity in the body, then linear in space.
inline void set_velocity(System& system, BodyId body, const Vector3d& angular, const Vector3d& linear) {
  Eigen::VectorXd u(6);
  u << angular, linear;
  system.bodies()[body].set_velocity(u);
}

/// A half-space z ≤ 0, all surfaces of one material.
struct FloorScene {
  System system{make_bullet_detector()};
  BodyId floor;

  explicit FloorScene(const PairMaterial& material = {}) {
    system.materials.set_pair(SurfaceId{0}, SurfaceId{0}, material);
    floor = system.add(std::make_unique<Obstacle>(), "floor");
    system.add_collider({.body = floor, .shape = Plane{}});
  }
};

inline PairMaterial rough(double friction) {
  return {.static_friction = friction, .kinetic_friction = friction};
}

/// Boxes, spheres, capsules and cylinders that fall onto the floor and each other, turned at random, and a ball joint
/// between two of them. The spheres bounce; friction falls where a contact slips.
struct PileScene : FloorScene {
  explicit PileScene(double restitution = 0.3)
      : FloorScene({.static_friction = 0.5, .kinetic_friction = 0.4, .restitution = 0}) {
    const SurfaceId rubber = system.materials.add_surface("rubber", {.restitution = restitution});
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    BodyId first_of_joint{0};
    for (int i = 0; i < 40; ++i) {
      const int layer = i / 9, column = i % 9;
      const Vector3d x(0.21 * (column % 3) + 0.02 * number(random), 0.21 * (column / 3) + 0.02 * number(random),
                       0.15 + 0.2 * layer);
      const Orientation turn =
          Orientation(1 + number(random), number(random), number(random), number(random)).normalized();
      const std::vector<Shape> shapes{Box{{0.12, 0.1, 0.14}}, Sphere{0.08}, Capsule{0.05, 0.1}, Cylinder{0.06, 0.12}};
      const Shape& shape = shapes[static_cast<std::size_t>(i % 4)];
      const BodyId body = system.add(std::make_unique<RigidBody>(mass_properties(shape, 1000), x, turn));
      system.add_collider({.body = body, .shape = shape, .surface = i % 4 == 1 ? rubber : SurfaceId{0}});
      set_velocity(system, body, {number(random), number(random), number(random)}, {0, 0, -1});
      if (i == 4) first_of_joint = body;
      if (i == 13) {
        const Vector3d between = 0.5 * (x + system.bodies()[first_of_joint].to_space(Vector3d::Zero()));
        system.add_constraint(std::make_unique<FixedPoint>(Anchor{between, first_of_joint}, Anchor{between, body}));
        system.exclude_pair(first_of_joint, body);
      }
    }
  }
};

/// What detection was told at its last call.
class WatchedDetector final : public ContactDetector {
 public:
  explicit WatchedDetector(std::size_t& moved) : moved_(moved) {}
  ColliderId add(const Collider& collider, const BodySet& bodies) override { return inner_->add(collider, bodies); }
  void exclude(BodyId a, BodyId b) override { inner_->exclude(a, b); }
  std::span<const DetectedContact> detect(const BodySet& bodies, std::span<const double> reach,
                                          std::span<const std::uint8_t> moved) override {
    moved_ = 0;
    for (std::uint8_t m : moved) moved_ += m;
    return inner_->detect(bodies, reach, moved);
  }

 private:
  std::unique_ptr<ContactDetector> inner_ = make_bullet_detector();
  std::size_t& moved_;
};

/// Every number of the report but the seconds.
inline std::vector<double> numbers_of(const StepReport& r) {
  return {static_cast<double>(r.step),
          r.time,
          static_cast<double>(r.contacts),
          static_cast<double>(r.constraints),
          static_cast<double>(r.islands),
          static_cast<double>(r.status),
          static_cast<double>(r.iterations),
          r.residual,
          r.penetration,
          static_cast<double>(r.parts),
          r.kinetic_energy,
          r.potential_energy,
          r.correction_energy,
          r.momentum.x(),
          r.momentum.y(),
          r.momentum.z(),
          r.angular_momentum.x(),
          r.angular_momentum.y(),
          r.angular_momentum.z(),
          r.largest_speed};
}

inline void check_same(const StepperState& a, const StepperState& b) {
  CHECK(a.time == b.time);
  CHECK(a.step == b.step);
  CHECK(a.accepted_residual == b.accepted_residual);
  CHECK(a.bodies == b.bodies);
  CHECK(a.references == b.references);
  CHECK(a.contacts == b.contacts);
  CHECK(a.identities == b.identities);
  CHECK(a.reactions == b.reactions);
  CHECK(a.forces == b.forces);
  CHECK(a.sleep == b.sleep);
}

}  // namespace locdyn::test
