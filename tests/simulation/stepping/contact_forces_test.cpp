// Forces between bodies against their weights, friction and pressure centres in closed form.

#include <locdyn/simulation/contact_forces.hpp>
#include <stdexcept>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

const TimeStepperOptions kTightly{.step = 1e-3, .stop = {.tolerance = 1e-12}, .sleep = false};

// A box of 2 m on the floor, one of 1 m on it, off its middle by 0.2 m along x.
struct TwoBoxes : FloorScene {
  BodyId lower, upper;
  double weight_lower = 1000 * 8 * 9.81, weight_upper = 1000 * 9.81;

  TwoBoxes() : FloorScene(rough(0.5)) {
    lower = add_solid(system, Box{{2, 2, 2}}, {0, 0, 1});
    upper = add_solid(system, Box{{1, 1, 1}}, {0.2, 0, 2.5});
  }
};

void check_near(const Vector3d& found, const Vector3d& expected, double size) {
  CAPTURE(found.transpose());
  CAPTURE(expected.transpose());
  CHECK((found - expected).norm() <= 1e-9 * size);
}

}  // namespace

TEST_CASE("contact forces: pairs of resting bodies carry their weights, at the centre of pressure") {
  TwoBoxes scene;
  TimeStepper stepper(scene.system, kTightly);
  for (int i = 0; i < 5; ++i) (void)stepper.step();
  const auto contacts = stepper.contacts();
  const auto pairs = forces_by_body(contacts);
  REQUIRE(pairs.size() == 2);
  const double both = scene.weight_lower + scene.weight_upper;

  CHECK(pairs[0].first == scene.floor);
  CHECK(pairs[0].second == scene.lower);
  check_near(pairs[0].on_second.force, {0, 0, both}, both);
  CHECK(pairs[0].on_second.pressure == doctest::Approx(both).epsilon(1e-9));
  CHECK(pairs[0].on_second.sticking == 4);
  // The moments of both weights about the origin: the upper one's alone.
  check_near(pairs[0].on_second.centre, {0.2 * scene.weight_upper / both, 0, 0}, 1);
  check_near(pairs[0].on_second.moment, {0, -0.2 * scene.weight_upper, 0}, both);
  check_near(pairs[0].on_second.moment_about(pairs[0].on_second.centre), Vector3d::Zero(), both);

  CHECK(pairs[1].first == scene.lower);
  CHECK(pairs[1].second == scene.upper);
  check_near(pairs[1].on_second.force, {0, 0, scene.weight_upper}, both);
  check_near(pairs[1].on_second.centre, {0.2, 0, 2}, 1);
  check_near(pairs[1].on_second.friction(), Vector3d::Zero(), both);
}

TEST_CASE("contact forces: groups feel each other from either side, and nothing inside") {
  TwoBoxes scene;
  TimeStepper stepper(scene.system, kTightly);
  for (int i = 0; i < 5; ++i) (void)stepper.step();
  const auto contacts = stepper.contacts();
  const double both = scene.weight_lower + scene.weight_upper;
  const auto all = ColliderGroup::all(scene.system);
  const auto floor = ColliderGroup::of_body(scene.system, scene.floor);
  const std::vector<BodyId> ids{scene.lower, scene.upper};
  const auto boxes = ColliderGroup::of_bodies(scene.system, ids);

  check_near(force_between(contacts, floor, boxes).force, {0, 0, both}, both);
  check_near(force_between(contacts, boxes, floor).force, {0, 0, -both}, both);
  check_near(force_between(contacts, all, boxes).force, {0, 0, both}, both);
  check_near(force_between(contacts, all, ColliderGroup::of_body(scene.system, scene.lower)).force,
             {0, 0, scene.weight_lower}, both);
  CHECK(force_between(contacts, boxes, boxes).pressure == 0);
  CHECK(force_between(contacts, all, all).open == 0);
}

TEST_CASE("contact forces: by surface, and a sliding box has friction μ N against its way") {
  FloorScene scene(rough(0.5));
  const SurfaceId ice = scene.system.materials.add_surface("ice", rough(0.01));
  scene.system.materials.set_pair(SurfaceId{0}, ice, rough(0.02));
  const BodyId box = scene.system.add(std::make_unique<RigidBody>(mass_properties(Box{{1, 1, 0.2}}, 1000),
                                                                  Vector3d(0, 0, 0.1), Orientation::Identity()));
  scene.system.add_collider({.body = box, .shape = Box{{1, 1, 0.2}}, .surface = ice});
  set_velocity(scene.system, box, Vector3d::Zero(), {3, 4, 0});
  TimeStepper stepper(scene.system, kTightly);
  (void)stepper.step();
  const double weight = 200 * 9.81;
  const auto surfaces = forces_by_surface(stepper.contacts(), scene.system);
  REQUIRE(surfaces.size() == 1);
  CHECK(surfaces[0].first == SurfaceId{0});
  CHECK(surfaces[0].second == ice);
  check_near(surfaces[0].on_second.normal, {0, 0, weight}, weight);
  check_near(surfaces[0].on_second.friction(), -0.02 * weight * Vector3d(0.6, 0.8, 0), weight);
  CHECK(surfaces[0].on_second.sliding == 4);
  CHECK(surfaces[0].on_second.sticking == 0);
}

TEST_CASE("contact forces: open contacts press with nothing and are counted") {
  FloorScene scene;
  add_solid(scene.system, Box{{1, 1, 1}}, {0, 0, 0.5 + 1e-4});
  TimeStepper stepper(scene.system, kTightly);
  set_velocity(scene.system, BodyId{1}, Vector3d::Zero(), {0, 0, 0.01});
  (void)stepper.step();
  const auto pairs = forces_by_body(stepper.contacts());
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].on_second.open == 4);
  CHECK(pairs[0].on_second.pressure == 0);
  CHECK(pairs[0].on_second.centre == Vector3d::Zero());
}

TEST_CASE("contact forces: a mean over a window forgets what lies before it") {
  const auto pushing = [](double push, double x) {
    ContactForce force;
    force.force = force.normal = {0, 0, push};
    force.pressure = push;
    force.centre = {x, 0, 0};
    force.sticking = 1;
    return force;
  };
  MeanContactForce mean(0.3);
  CHECK(mean.mean().pressure == 0);
  mean.add(pushing(100, 9), 0.1);
  CHECK(mean.mean().pressure == doctest::Approx(100));
  mean.add(pushing(1, 0), 0.1);
  mean.add(pushing(2, 3), 0.1);
  mean.add(pushing(3, 5), 0.1);
  const ContactForce three = mean.mean();
  CHECK(three.pressure == doctest::Approx(2));
  CHECK(three.force.z() == doctest::Approx(2));
  CHECK(three.centre.x() == doctest::Approx((2 * 3 + 3 * 5) / 6.0));
  CHECK(three.sticking == 1);
  mean.add(pushing(7, 1), 1.0);
  CHECK(mean.mean().pressure == doctest::Approx(7));
  CHECK_THROWS_WITH_AS(MeanContactForce(0), "window: expected a finite number > 0, found 0", std::invalid_argument);
  CHECK_THROWS_WITH_AS(mean.add(ContactForce{}, -1), "h: expected a finite number > 0, found -1",
                       std::invalid_argument);
}

TEST_CASE("contact forces: groups of what the system does not have are refused by name") {
  TwoBoxes scene;
  CHECK_THROWS_WITH_AS((void)ColliderGroup::of_body(scene.system, BodyId{9}),
                       "collider group: expected a body of the system, found 9", std::out_of_range);
  CHECK_THROWS_WITH_AS((void)ColliderGroup::of_surface(scene.system, SurfaceId{4}),
                       "collider group: expected a surface of the system, found 4", std::out_of_range);
  scene.system.remove(scene.upper);
  CHECK_THROWS_AS((void)ColliderGroup::of_body(scene.system, scene.upper), std::out_of_range);
}
