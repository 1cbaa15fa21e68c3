// Events of a bouncing ball in closed form, of what rests, falls asleep, wakes and is removed.

#include <cmath>
#include <limits>
#include <locdyn/simulation/contact_events.hpp>
#include <stdexcept>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

constexpr double kEventStep = 1e-3;
const TimeStepperOptions kEventOptions{.step = kEventStep, .stop = {.tolerance = 1e-12}};

struct Ball : FloorScene {
  BodyId ball;
  double mass = 1000 * 4.0 / 3 * M_PI * 0.001;

  explicit Ball(double restitution, double height) : FloorScene({.restitution = restitution}) {
    ball = add_solid(system, Sphere{0.1}, {0, 0, 0.1 + height});
  }
};

}  // namespace

TEST_CASE("contact events: each bounce of a ball begins and ends with its impulse") {
  constexpr double e = 0.5;
  Ball scene(e, 0.2);
  TimeStepper stepper(scene.system, kEventOptions);
  ContactEvents events(stepper);
  int bounces = 0;
  bool pressing = false;
  for (int i = 0; i < 700 && bounces < 3; ++i) {
    const double before = scene.system.bodies()[scene.ball].velocity()[5];
    (void)stepper.step();
    for (const ContactEvent& event : events.update()) {
      CHECK(event.first == scene.floor);
      CHECK(event.second == scene.ball);
      CHECK(event.time == stepper.time());
      if (event.change == ContactChange::begin) {
        CHECK_FALSE(pressing);
        CHECK(event.impact);
        CHECK(event.approach == doctest::Approx(-before).epsilon(1e-12));
        // From V to −e V, and the weight of the step with it.
        const double impulse = scene.mass * (1 + e) * -before + scene.mass * 9.81 * kEventStep;
        CHECK(event.impulse.z() == doctest::Approx(impulse).epsilon(1e-9));
        CHECK(event.impulse.head<2>().norm() < 1e-12 * impulse);
        // The first hits with √(2 g h), to the step.
        if (bounces == 0) CHECK(event.approach == doctest::Approx(std::sqrt(2 * 9.81 * 0.2)).epsilon(0.01));
        pressing = true;
        ++bounces;
      } else {
        CHECK(event.change == ContactChange::end);
        CHECK(event.impulse == Vector3d::Zero());
        CHECK_FALSE(event.impact);
        pressing = false;
      }
    }
  }
  CHECK(bounces == 3);
}

TEST_CASE("contact events: what rests begins once, persists, sleeps and wakes") {
  FloorScene scene(rough(0.5));
  const BodyId box = add_solid(scene.system, Box{{1, 1, 1}}, {0, 0, 0.5});
  TimeStepper stepper(scene.system, kEventOptions);
  ContactEvents events(stepper), all(stepper, {.persisting = true});
  int begun = 0, others = 0, persisting = 0, asleep = 0;
  for (int i = 0; i < 80; ++i) {
    (void)stepper.step();
    for (const ContactEvent& event : events.update()) {
      ++(event.change == ContactChange::begin ? begun : others);
      CHECK_FALSE(event.impact);
      CHECK(event.impulse.z() == doctest::Approx(1000 * 9.81 * kEventStep));
    }
    for (const ContactEvent& event : all.update()) persisting += event.change == ContactChange::persist;
    for (const SleepEvent& event : events.sleep()) {
      CHECK(event.body == box);
      CHECK(event.asleep);
      ++asleep;
    }
  }
  CHECK(begun == 1);
  CHECK(others == 0);
  CHECK(persisting == 79);
  CHECK(asleep == 1);
  CHECK(stepper.sleeps(box));

  ContactEvents after_restart(stepper);  // knows what presses and sleeps already
  set_velocity(scene.system, box, Vector3d::Zero(), {0, 0, 1});
  (void)stepper.step();
  for (ContactEvents* watching : {&events, &after_restart}) {
    const auto seen = watching->update();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].change == ContactChange::end);
    CHECK(seen[0].point.z() == doctest::Approx(0));
    REQUIRE(watching->sleep().size() == 1);
    CHECK_FALSE(watching->sleep()[0].asleep);
  }
}

TEST_CASE("contact events: a run that goes on from its saved state tells nothing twice") {
  Ball first(0, 0.001);
  TimeStepper stepper(first.system, kEventOptions);
  ContactEvents events(stepper);
  for (int i = 0; i < 20; ++i) (void)stepper.step();
  CHECK(events.update().size() == 1);

  Ball second(0, 0.001);
  TimeStepper resumed(second.system, kEventOptions);
  resumed.restore(stepper.state());
  ContactEvents more(resumed);
  (void)resumed.step();
  CHECK(more.update().empty());
}

TEST_CASE("contact events: a body that is removed ends what it touched") {
  FloorScene scene(rough(0.5));
  const BodyId lower = add_solid(scene.system, Box{{1, 1, 1}}, {0, 0, 0.5});
  const BodyId upper = add_solid(scene.system, Box{{1, 1, 1}}, {0, 0, 1.5});
  TimeStepper stepper(scene.system, kEventOptions);
  (void)stepper.step();
  ContactEvents events(stepper);
  scene.system.remove(upper);
  (void)stepper.step();
  const auto seen = events.update();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].change == ContactChange::end);
  CHECK(seen[0].first == lower);
  CHECK(seen[0].second == upper);
}

TEST_CASE("contact events: speeds out of range and bodies that are not there are refused") {
  Ball scene(0, 1);
  TimeStepper stepper(scene.system, kEventOptions);
  CHECK_THROWS_WITH_AS(ContactEvents(stepper, {.impact_speed = -1}),
                       "impact_speed: expected a finite number >= 0, found -1", std::invalid_argument);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(ContactEvents(stepper, {.impact_speed = nan}), std::invalid_argument);
  CHECK_THROWS_AS((void)stepper.sleeps(BodyId{7}), std::out_of_range);
}
