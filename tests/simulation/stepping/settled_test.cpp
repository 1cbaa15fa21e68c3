// At rest: geometry is not taken again, reactions carry the weights, energy does not grow on the way there.

#include <algorithm>
#include <cmath>
#include <map>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

TEST_CASE("a settled stack is not looked at again, and its reactions are the weights") {
  std::size_t moved = 0;
  System system(std::make_unique<WatchedDetector>(moved));
  system.materials.set_pair(SurfaceId{0}, SurfaceId{0}, rough(0.5));
  const BodyId floor = system.add(std::make_unique<Obstacle>());
  const ColliderId ground = system.add_collider({.body = floor, .shape = Plane{}});
  std::vector<double> mass;
  for (int i = 0; i < 4; ++i) {
    const BodyId box = add_solid(system, Box{{1, 1, 1}}, {0.05 * i, 0, 0.5 + i});
    mass.push_back(system.bodies()[box].mass());
  }
  TimeStepper stepper(system, {.step = 5e-3, .stop = {.tolerance = 1e-12}, .sleep = false});
  for (int i = 0; i < 20; ++i) (void)stepper.step();
  const std::vector<double> references = stepper.state().references;
  const StepperState before = stepper.state();
  for (int i = 0; i < 200; ++i) {
    const StepReport report = stepper.step();
    REQUIRE(moved == 0);
    REQUIRE(report.largest_speed < 1e-10);
  }
  const StepperState after = stepper.state();
  CHECK(after.references == references);
  CHECK(after.identities == before.identities);

  // What each box carries, by the slave's collider.
  std::map<ColliderId, Vector3d> carried;
  for (const ActiveContact& contact : stepper.contacts()) {
    Vector3d& sum = carried.try_emplace(contact.slave, Vector3d::Zero()).first->second;
    sum += contact.point.frame * contact.reaction;
  }
  REQUIRE(carried.size() == 4);
  double above = 0;
  for (int i = 3; i >= 0; --i) {
    above += mass[static_cast<std::size_t>(i)] * 9.81;
    const Vector3d force = carried.at(ColliderId{ground + 1 + i});
    CHECK(force.z() == doctest::Approx(above).epsilon(1e-9));
    CHECK(force.head<2>().norm() < 1e-8 * above);
  }

  // Once pushed, it is looked at again.
  set_velocity(system, BodyId{4}, Vector3d::Zero(), {0.1, 0, 0});
  (void)stepper.step();
  CHECK(moved >= 1);
}

TEST_CASE("a collider and a body that come between steps are seen at once") {
  FloorScene scene(rough(0.5));
  const BodyId box = add_solid(scene.system, Box{{1, 1, 1}}, {0, 0, 0.5});
  TimeStepper stepper(scene.system, {.step = 1e-3});
  for (int i = 0; i < 5; ++i) (void)stepper.step();
  const std::size_t before = stepper.contacts().size();
  const BodyId obstacle = scene.system.add(std::make_unique<Obstacle>());
  scene.system.add_collider({.body = obstacle, .shape = Sphere{0.5}, .position = {0, 0, 1.5 - 1e-6}});
  (void)stepper.step();
  CHECK(stepper.contacts().size() == before + 1);
  // A second shape on a body that is known and lies still.
  scene.system.add_collider({.body = box, .shape = Sphere{0.5}, .position = {3, 0, 0}});
  (void)stepper.step();
  CHECK(stepper.contacts().size() == before + 2);
  add_solid(scene.system, Box{{1, 1, 1}}, {-3, 0, 0.5});
  (void)stepper.step();
  CHECK(stepper.contacts().size() == before + 6);
}

TEST_CASE("a pile without bounce does not gain energy") {
  PileScene scene(0);
  TimeStepperOptions options;
  options.step = 1e-3;
  TimeStepper stepper(scene.system, options);
  const double at_start = scene.system.bodies().kinetic_energy();
  const double potential = scene.system.bodies().potential_energy(scene.system.gravity);
  double corrected = 0, least = at_start + potential, growth = 0, lowest = potential;
  for (int i = 0; i < 500; ++i) {
    const StepReport report = stepper.step();
    corrected += report.correction_energy;
    const double energy = report.kinetic_energy + report.potential_energy - corrected;
    growth = std::max(growth, energy - least);
    least = std::min(least, energy);
    lowest = std::min(lowest, report.potential_energy);
  }
  const double released = at_start + potential - lowest;
  CAPTURE(released);
  CHECK(growth <= 1e-5 * released);
  CHECK(least < potential + at_start - 0.5 * released);  // it did lose most of it
}

TEST_CASE("a ball with e = 1 comes back to its height to first order in the step") {
  constexpr double kHeight = 0.5;
  // Mean over where in a step the impact falls.
  const auto error_of = [](double h) {
    double sum = 0;
    for (int phase = 0; phase < 8; ++phase) {
      FloorScene scene({.restitution = 1});
      const double drop = kHeight + 3.13 * h * phase / 8;
      const BodyId ball = add_solid(scene.system, Sphere{0.1}, {0, 0, 0.1 + drop});
      TimeStepper stepper(scene.system, {.step = h, .stop = {.tolerance = 1e-12}});
      double apex = 0;
      const double fall = std::sqrt(2 * drop / 9.81);
      while (stepper.time() < 2.6 * fall) {
        (void)stepper.step();
        if (stepper.time() > 1.2 * fall) apex = std::max(apex, scene.system.bodies()[ball].configuration()[2] - 0.1);
      }
      const double error = std::abs(apex - drop);
      CHECK(error <= 2 * 3.2 * h);  // two steps' travel
      sum += error / 8;
    }
    return sum;
  };
  const double coarse = error_of(2e-3), fine = error_of(1e-3), finest = error_of(5e-4);
  CAPTURE(coarse);
  CAPTURE(fine);
  CAPTURE(finest);
  CHECK(coarse / fine > 1.4);
  CHECK(coarse / fine < 3);
  CHECK(fine / finest > 1.4);
  CHECK(fine / finest < 3);
}
