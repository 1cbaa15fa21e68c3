// Bodies with their shapes: where they lie, what they weigh, and what is refused.

#include <locdyn/simulation/make_bodies.hpp>

#include <doctest/doctest.h>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <locdyn/bodies/rigid_body.hpp>

using namespace locdyn;
using Eigen::Vector3d;

namespace {

// Takes every collider and finds nothing.
class NoContacts final : public ContactDetector {
 public:
  ColliderId add(const Collider& collider, const BodySet& bodies) override {
    validate(collider, bodies);
    return next_++;
  }
  void exclude(BodyId, BodyId) override {}
  std::span<const DetectedContact> detect(const BodySet&, std::span<const double>,
                                          std::span<const std::uint8_t>) override {
    return {};
  }

 private:
  ColliderId next_{0};
};

// A quarter turn about z.
const Orientation kTurned(Eigen::AngleAxisd(std::acos(-1.0) / 2, Vector3d::UnitZ()));

}  // namespace

TEST_CASE("a shape that is not centred lies where its pose says, its body at the mass centre") {
  System system(std::make_unique<NoContacts>());
  ConvexHull hull;  // the box [0, 2] × [0, 1] × [0, 1]
  for (const double x : {0.0, 2.0}) {
    for (const double y : {0.0, 1.0}) {
      for (const double z : {0.0, 1.0}) hull.points.push_back({x, y, z});
    }
  }
  const BodyId body = add_solid(system, hull, {.density = 3}, {{10, 0, 0}, kTurned}, "hull");

  CHECK(system.find("hull") == body);
  CHECK(system.bodies()[body].mass() == doctest::Approx(6).epsilon(1e-14));
  // Turned, the mass centre (1, ½, ½) lies at (−½, 1, ½) from the pose.
  CHECK((position_of(system, body) - Vector3d(9.5, 1, 0.5)).norm() < 1e-14);
  const Collider& collider = system.colliders().at(0);
  CHECK((system.bodies()[body].to_space(collider.position) - Vector3d(10, 0, 0)).norm() < 1e-14);
}

TEST_CASE("parts add up to one body") {
  System system(std::make_unique<NoContacts>());
  // A dumb-bell of two unit balls, of 1 and 3 kg per unit mass: the mass centre divides the bar 3 : 1.
  const double volume = sphere_mass(1, 1).mass;
  const std::array<Part, 2> parts = {Part{Sphere{1}, {.density = 1 / volume}, {{-2, 0, 0}}},
                                     Part{Sphere{1}, {.density = 3 / volume}, {{2, 0, 0}}}};
  const BodyId body = add_solid(system, parts);
  CHECK(system.bodies()[body].mass() == doctest::Approx(4).epsilon(1e-14));
  CHECK((position_of(system, body) - Vector3d(1, 0, 0)).norm() < 1e-14);
  CHECK((system.colliders().at(0).position - Vector3d(-3, 0, 0)).norm() < 1e-14);
  CHECK((system.colliders().at(1).position - Vector3d(1, 0, 0)).norm() < 1e-14);
  // About y: 4 · 2/5 + 1 · 3² + 3 · 1².
  CHECK(system.bodies()[body].inertia()(1, 1) == doctest::Approx(13.6).epsilon(1e-14));
}

TEST_CASE("velocities go in and come out in space") {
  System system(std::make_unique<NoContacts>());
  const BodyId body = add_solid(system, Box{{1, 2, 3}}, {}, {{}, kTurned});
  set_velocity(system, body, {.linear = {1, 2, 3}, .angular = {4, 5, 6}});
  CHECK((system.bodies()[body].velocity().head<3>() - Vector3d(5, -4, 6)).norm() < 1e-14);  // in the body
  const RigidVelocity velocity = velocity_of(system, body);
  CHECK((velocity.linear - Vector3d(1, 2, 3)).norm() < 1e-14);
  CHECK((velocity.angular - Vector3d(4, 5, 6)).norm() < 1e-14);
}

TEST_CASE("bad input is refused before the body is there") {
  System system(std::make_unique<NoContacts>());
  CHECK_THROWS_AS(add_solid(system, Sphere{-1}, {}), std::invalid_argument);
  CHECK_THROWS_AS(add_solid(system, Plane{}, {}), std::invalid_argument);
  CHECK_THROWS_AS(add_solid(system, Sphere{1}, {.density = 0}), std::invalid_argument);
  CHECK_THROWS_AS(add_solid(system, Sphere{1}, {.surface = SurfaceId{7}}), std::invalid_argument);
  CHECK_THROWS_AS(add_solid(system, std::span<const Part>()), std::invalid_argument);
  CHECK_THROWS_AS(add_solid(system, Sphere{1}, {}, {{}, Orientation(2, 0, 0, 0)}), std::invalid_argument);
  CHECK_THROWS_AS(add_obstacle(system, Box{{1, 1, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(add_obstacle(system, Plane{}, SurfaceId{7}), std::invalid_argument);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(add_obstacle(system, Plane{}, SurfaceId{0}, {{nan, 0, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(add_solid(system, Sphere{1}, {}, {{0, nan, 0}}), std::invalid_argument);
  CHECK(system.bodies().size() == 0);
  System blind;
  CHECK_THROWS_AS(add_solid(blind, Sphere{1}, {}), std::invalid_argument);
  CHECK(blind.bodies().size() == 0);

  const BodyId ground = add_obstacle(system, Plane{});
  CHECK_THROWS_AS(set_velocity(system, ground, {}), std::invalid_argument);
  CHECK_THROWS_AS((void)velocity_of(system, ground), std::invalid_argument);
  CHECK_THROWS_AS((void)velocity_of(system, BodyId{9}), std::out_of_range);
  CHECK_THROWS_AS(add_to_obstacle(system, ground, Sphere{0}), std::invalid_argument);
  const BodyId ball = add_solid(system, Sphere{1}, {});
  CHECK_THROWS_AS(set_velocity(system, ball, {.linear = {nan, 0, 0}}), std::invalid_argument);
}
