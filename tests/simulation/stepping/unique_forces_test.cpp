// Which forces are true: tables on three and four legs, legs in a row, pairs whose sum is known though its parts are
// not.

#include <locdyn/simulation/unique_forces.hpp>
#include <utility>
#include <vector>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

// A body of 1 kg that stands on balls at these places of the floor.
struct Table : FloorScene {
  BodyId body;

  Table(const std::vector<std::pair<double, double>>& legs, double friction) : FloorScene(rough(friction)) {
    const double radius = 0.05;
    body = system.add(std::make_unique<RigidBody>(mass_properties(Box{{1, 1, 0.1}}, 10), Vector3d(0, 0, 0.5)));
    for (const auto& [x, y] : legs) {
      system.add_collider({.body = body, .shape = Sphere{radius}, .position = {x, y, radius - 0.5}});
    }
  }
};

std::vector<Uniqueness> judged(Table& table, const TimeStepperOptions& options = {
                                                 .step = 1e-3, .stop = {.tolerance = 1e-11}, .sleep = false}) {
  TimeStepper stepper(table.system, options);
  for (int i = 0; i < 3; ++i) REQUIRE(!stepper.step().failed());
  return UniqueForces(stepper).of_contacts();
}

}  // namespace

TEST_CASE("unique forces: three legs carry what they must, four what they like") {
  Table three({{0.4, 0}, {-0.2, 0.3}, {-0.2, -0.3}}, 0);
  for (const Uniqueness& leg : judged(three)) {
    CHECK(leg.known);
    CHECK(leg.normal);
    CHECK(leg.friction);
    CHECK(leg.force);
  }
  Table rough_three({{0.4, 0}, {-0.2, 0.3}, {-0.2, -0.3}}, 0.5);  // which may squeeze the floor between them
  for (const Uniqueness& leg : judged(rough_three)) {
    CHECK(leg.normal);
    CHECK_FALSE(leg.friction);
    CHECK_FALSE(leg.force);
  }
  Table four({{0.4, 0.4}, {-0.4, 0.4}, {-0.4, -0.4}, {0.4, -0.4}}, 0);
  const auto legs = judged(four);
  REQUIRE(legs.size() == 4);
  for (const Uniqueness& leg : legs) {
    CHECK_FALSE(leg.normal);
    CHECK(leg.friction);  // there is none
  }
}

TEST_CASE("unique forces: of four legs the one out of line is known, those in line are not") {
  Table table({{-0.4, 0}, {0, 0}, {0.4, 0}, {0, 0.4}}, 0);
  const auto legs = judged(table);
  REQUIRE(legs.size() == 4);
  int unique = 0;
  for (const Uniqueness& leg : legs) unique += leg.normal;
  CHECK(unique == 1);
}

TEST_CASE("unique forces: what a floor does to a table is known, though what its legs do is not") {
  Table table({{0.4, 0.4}, {-0.4, 0.4}, {-0.4, -0.4}, {0.4, -0.4}}, 0.5);
  TimeStepper stepper(table.system, {.step = 1e-3, .stop = {.tolerance = 1e-11}, .sleep = false});
  for (int i = 0; i < 3; ++i) (void)stepper.step();
  const UniqueForces unique(stepper);
  const System& system = table.system;
  const Uniqueness whole =
      unique.between(ColliderGroup::of_body(system, table.floor), ColliderGroup::of_body(system, table.body));
  CHECK(whole.force);
  CHECK(whole.normal);
  CHECK(whole.friction);
  CHECK(whole.moment);
  const auto pairs = unique.by_body();
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].force);
  CHECK(pairs[0].moment);
}

TEST_CASE("unique forces: walls that nobody presses a block against may hold it from either side") {
  FloorScene scene(rough(0.5));
  add_solid(scene.system, Box{{1, 1, 1}}, {0, 0, 0.5});
  const BodyId left = scene.system.add(std::make_unique<Obstacle>()),
               right = scene.system.add(std::make_unique<Obstacle>());
  scene.system.add_collider({.body = left, .shape = Box{{1, 1, 1}}, .position = {-1, 0, 0.5}});
  scene.system.add_collider({.body = right, .shape = Box{{1, 1, 1}}, .position = {1, 0, 0.5}});
  TimeStepper stepper(scene.system, {.step = 1e-3, .stop = {.tolerance = 1e-11}, .sleep = false});
  for (int i = 0; i < 3; ++i) (void)stepper.step();
  const UniqueForces unique(stepper);
  const auto pairs = forces_by_body(stepper.contacts());
  const auto answers = unique.by_body();
  REQUIRE(pairs.size() == 3);
  REQUIRE(answers.size() == 3);
  for (const Uniqueness& answer : answers) CHECK_FALSE(answer.force);
}

TEST_CASE("unique forces: nobody knows what sleeps") {
  Table table({{0.4, 0}, {-0.2, 0.3}, {-0.2, -0.3}}, 0.5);
  TimeStepper stepper(table.system, {.step = 1e-2});
  for (int i = 0; i < 200 && !stepper.sleeps(table.body); ++i) (void)stepper.step();
  REQUIRE(stepper.sleeps(table.body));
  for (const Uniqueness& leg : UniqueForces(stepper).of_contacts()) {
    CHECK_FALSE(leg.known);
    CHECK_FALSE(leg.normal);
  }
}
