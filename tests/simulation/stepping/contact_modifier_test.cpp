// Belts in closed form, and what a program changes of a contact before it is solved.

#include <cmath>
#include <limits>
#include <locdyn/simulation/contact_modifier.hpp>
#include <locdyn/simulation/make_bodies.hpp>
#include <stdexcept>
#include <string>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

constexpr double kBeltStep = 1e-3, kMu = 0.5, kBelt = 1.2;
const TimeStepperOptions kBeltOptions{.step = kBeltStep, .stop = {.tolerance = 1e-10}};

// A box at rest on a floor that runs along x.
struct Belt : FloorScene {
  BodyId box;
  ColliderId belt{0};

  explicit Belt(double speed) : FloorScene(rough(kMu)) {
    box = add_solid(system, Box{{0.4, 0.4, 0.1}}, {0, 0, 0.05});
    if (speed != 0) system.set_surface_velocity(belt, {speed, 0, 0});
  }
  [[nodiscard]] Vector3d velocity() const { return velocity_of(system, box).linear; }
  [[nodiscard]] Vector3d place() const { return position_of(system, box); }
};

void pass(TimeStepper& stepper, double seconds) {
  for (int i = 0; i < std::lround(seconds / kBeltStep); ++i) REQUIRE(!stepper.step().failed());
}

std::string fault_of(TimeStepper& stepper) {
  try {
    (void)stepper.step();
  } catch (const std::exception& fault) {
    return fault.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("a belt takes a box along by friction until it runs with it, and stops it again") {
  Belt scene(kBelt);
  TimeStepper stepper(scene.system, kBeltOptions);
  const double until = kBelt / (kMu * 9.81);  // 0.245 s
  pass(stepper, 0.2);
  CHECK(scene.velocity().x() == doctest::Approx(kMu * 9.81 * 0.2).epsilon(1e-7));
  CHECK(scene.place().x() == doctest::Approx(kMu * 9.81 * 0.02).epsilon(1e-7));
  pass(stepper, 0.8);
  CHECK(scene.velocity().x() == doctest::Approx(kBelt).epsilon(1e-7));
  // The step in which it stops slipping is not cut in two: at most a step's slip is missing.
  CHECK(std::abs(scene.place().x() - kBelt * (1 - until / 2)) < kBelt * kBeltStep);
  CHECK(stepper.step().sleeping == 0);

  scene.system.set_surface_velocity(scene.belt, Vector3d::Zero());
  pass(stepper, 0.1);
  CHECK(scene.velocity().x() == doctest::Approx(kBelt - kMu * 9.81 * 0.1).epsilon(1e-6));
  pass(stepper, 0.5);
  CHECK(scene.velocity().norm() < 1e-9);
}

TEST_CASE("a belt that starts wakes what sleeps on it, and a box that moves may carry a belt") {
  Belt scene(0);
  TimeStepper stepper(scene.system, kBeltOptions);
  pass(stepper, 0.1);
  CHECK(stepper.step().sleeping == 1);
  scene.system.set_surface_velocity(scene.belt, {0, -kBelt, 0});
  pass(stepper, 0.1);
  CHECK(scene.velocity().y() == doctest::Approx(-kMu * 9.81 * 0.1).epsilon(1e-7));

  // A crawler: its own surface runs backwards, and drives it forwards.
  Belt crawler(0);
  crawler.system.set_surface_velocity(ColliderId{1}, {-kBelt, 0, 0});
  TimeStepper drives(crawler.system, kBeltOptions);
  pass(drives, 1);
  CHECK(crawler.velocity().x() == doctest::Approx(kBelt).epsilon(1e-6));
}

TEST_CASE("a run on belts goes on bit for bit from its state") {
  Belt scene(kBelt), other(kBelt);
  TimeStepper first(scene.system, kBeltOptions), second(other.system, kBeltOptions);
  pass(first, 0.1);
  second.restore(first.state());
  pass(first, 0.3);
  pass(second, 0.3);
  CHECK(second.state().bodies == first.state().bodies);
  CHECK(second.state().contacts == first.state().contacts);
}

TEST_CASE("a modifier changes friction, runs a surface or takes the contact away") {
  Belt scene(0);
  enum class Wish { nothing, smooth, belt, off } wish = Wish::nothing;
  int asked = 0;
  scene.system.set_contact_modifier([&](ContactToSolve& contact) {
    ++asked;
    CHECK(contact.point.slave == scene.box);
    CHECK(contact.material.static_friction == kMu);
    CHECK(contact.surface_velocity == Vector3d::Zero());
    if (wish == Wish::smooth) contact.material.static_friction = contact.material.kinetic_friction = 0.1;
    if (wish == Wish::belt) contact.surface_velocity = {0, kBelt, 0};
    contact.off = wish == Wish::off;
  });
  TimeStepper stepper(scene.system, kBeltOptions);
  pass(stepper, 0.1);
  CHECK(asked == 400);  // four corners
  CHECK(stepper.step().sleeping == 0);
  CHECK(scene.velocity().norm() < 1e-12);
  CHECK(stepper.contacts().size() == 4);

  wish = Wish::belt;
  pass(stepper, 0.1);
  CHECK(scene.velocity().y() == doctest::Approx(kMu * 9.81 * 0.1).epsilon(1e-7));
  wish = Wish::smooth;
  pass(stepper, 0.05);
  CHECK(scene.velocity().y() == doctest::Approx(kMu * 9.81 * 0.1 - 0.1 * 9.81 * 0.05).epsilon(1e-7));
  wish = Wish::off;
  const double height = scene.place().z();
  pass(stepper, 0.1);
  CHECK(stepper.contacts().empty());
  CHECK(height - scene.place().z() == doctest::Approx(9.81 * 0.005).epsilon(1e-3));

  scene.system.set_contact_modifier({});
  const int before = asked;
  pass(stepper, 0.01);
  CHECK(asked == before);
}

TEST_CASE("a modifier that throws or leaves nonsense ends the step, and nothing has changed") {
  Belt scene(0);
  TimeStepper stepper(scene.system, kBeltOptions);
  pass(stepper, 0.01);
  const StepperState before = stepper.state();
  const auto refused = [&](const ContactModifier& modifier) {
    scene.system.set_contact_modifier(modifier);
    const std::string line = fault_of(stepper);
    scene.system.set_contact_modifier({});
    CHECK(stepper.state().bodies == before.bodies);
    CHECK(stepper.state().contacts == before.contacts);
    return line;
  };
  CHECK(refused([](ContactToSolve&) { throw std::runtime_error("no more"); }) == "no more");
  const std::string nan = refused([](ContactToSolve& c) { c.material.kinetic_friction = std::nan(""); });
  CHECK(nan.starts_with("contact modifier: bodies 0 and 1: "));
  CHECK(nan.find("friction") != std::string::npos);
  CHECK(refused([](ContactToSolve& c) { c.surface_velocity[1] = std::numeric_limits<double>::infinity(); }) ==
        "contact modifier: bodies 0 and 1: surface_velocity: expected finite numbers, found others");
  CHECK(refused([](ContactToSolve& c) { c.material.stiffness = 0; }).find("stiffness") != std::string::npos);
  CHECK(refused([&](ContactToSolve&) { scene.system.set_contact_modifier({}); }).find("expected no step to run") !=
        std::string::npos);
  CHECK_THROWS_AS(scene.system.set_surface_velocity(ColliderId{9}, Vector3d::Zero()), std::out_of_range);
  CHECK_THROWS_AS(scene.system.set_surface_velocity(scene.belt, Vector3d::Constant(std::nan(""))),
                  std::invalid_argument);
  pass(stepper, 0.01);
}
