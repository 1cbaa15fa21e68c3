// Coulomb friction against closed forms.

#include "scene.hpp"

#include <cmath>
#include <numbers>

namespace locdyn::physics {
namespace {

constexpr double kFriction = 0.5;

// A flat box on a slope that falls towards +x, the box turned about the slope's normal.
struct Incline {
  Scene scene{{.static_friction = kFriction, .kinetic_friction = kFriction, .restitution = 0}};
  Vector3d downhill;
  BodyId box;

  Incline(double tangent, double turned_degrees) {
    const Orientation tilt(Eigen::AngleAxisd(std::atan(tangent), Vector3d::UnitY()));
    const Orientation turn(Eigen::AngleAxisd(turned_degrees * std::numbers::pi / 180, Vector3d::UnitZ()));
    scene.add_obstacle(Plane{}, {.orientation = tilt});
    downhill = tilt * Vector3d::UnitX();
    box = scene.add(Box{{0.3, 0.2, 0.1}}, {.position = tilt * Vector3d(0, 0, 0.05), .orientation = tilt * turn});
  }
};

TEST_CASE("A box on an incline sticks up to tan θ = μ and slides beyond, to 1e-6") {
  for (const double turned : {0.0, 45.0, 30.0}) {
    CAPTURE(turned);
    Incline below(kFriction - 1e-6, turned);
    TimeStepper sticks(below.scene.system, exact(1e-2));
    run(sticks, 1);
    // What the tolerance leaves, 1e-11 of ‖b‖, grows near the threshold; sliding would reach 9e-6 m/s.
    CHECK(below.scene.velocity(below.box).norm() < 1e-9);

    Incline above(kFriction + 1e-6, turned);
    TimeStepper slides(above.scene.system, exact(1e-2));
    run(slides, 1);
    const double expected = kGravity * 1e-6 / std::hypot(1, kFriction);  // v = g (tan θ − μ) cos θ t
    CHECK(above.scene.velocity(above.box).dot(above.downhill) == doctest::Approx(expected).epsilon(1e-3));
  }
}

TEST_CASE("A box on an incline slides with g (sin θ − μ cos θ) in any direction of the box") {
  for (const auto& [tangent, expected] : {std::pair(0.51, 0.087391), std::pair(0.8, 2.298097)}) {
    for (const double turned : {0.0, 45.0, 30.0}) {
      const double slope = tangent;
      CAPTURE(slope);
      CAPTURE(turned);
      Incline incline(tangent, turned);
      TimeStepper stepper(incline.scene.system, exact(1e-3));
      run(stepper, 0.3);
      const Vector3d acceleration = incline.scene.velocity(incline.box) / stepper.time();
      CHECK(std::abs(acceleration.dot(incline.downhill) - expected) < 1e-6);
      CHECK((acceleration - acceleration.dot(incline.downhill) * incline.downhill).norm() < 1e-6);
    }
  }
}

TEST_CASE("A thrown box slides v²/(2 μ g), to μ g h²/8") {
  // The scheme is exact but in the step in which the box stops, where it is off by at most that.
  for (const double h : {1e-2, 3e-3, 1e-3}) {
    CAPTURE(h);
    Scene scene({.static_friction = kFriction, .kinetic_friction = kFriction, .restitution = 0});
    scene.add_obstacle(Plane{});
    const BodyId box = scene.add(Box{{0.3, 0.2, 0.1}}, {.position = {0, 0, 0.05}});
    scene.set_velocity(box, {2, 1, 0});
    TimeStepper stepper(scene.system, exact(h));
    run(stepper, 1);
    const double way = scene.position(box).head<2>().norm();
    CHECK(std::abs(way - 5 / (2 * kFriction * kGravity)) < kFriction * kGravity * h * h / 8 + 1e-9);
  }
}

TEST_CASE("A sphere that is thrown without spin ends rolling at 5/7 of its speed") {
  Scene scene({.static_friction = 0.3, .kinetic_friction = 0.3, .restitution = 0});
  scene.add_obstacle(Plane{});
  const BodyId sphere = scene.add(Sphere{0.1}, {.position = {0, 0, 0.1}});
  scene.set_velocity(sphere, {1.4, 0, 0});
  TimeStepper stepper(scene.system, exact(1e-3));
  run(stepper, 0.5);  // it rolls after 2/7 · 1.4/(0.3 · 9.81) = 0.136 s
  // Angular momentum about the line of contact is kept: to the solver's tolerance.
  CHECK(scene.velocity(sphere).x() == doctest::Approx(1).epsilon(1e-9));
  CHECK(scene.body(sphere).angular_momentum().y() == doctest::Approx(0.4 * scene.body(sphere).mass() * 0.1));
}

}  // namespace
}  // namespace locdyn::physics
