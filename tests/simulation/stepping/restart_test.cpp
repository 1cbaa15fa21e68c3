// A run that is stopped and goes on elsewhere, on any number of threads, is the same run bit for bit.

#include <limits>
#include <stdexcept>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

constexpr int kSteps = 120;

struct Step {
  std::vector<double> report;
  StepperState state;
};

TimeStepperOptions restarting(Correction correction, int threads = 1) {
  return {.step = 2e-3, .stop = {.threads = threads}, .correction = correction};
}

std::vector<Step> run(TimeStepper& stepper, int steps) {
  std::vector<Step> taken;
  for (int i = 0; i < steps; ++i) {
    std::vector<double> report = numbers_of(stepper.step());
    taken.push_back({std::move(report), stepper.state()});
  }
  return taken;
}

// The steps of `later` are those of `whole` after the first `skipped`.
void check_tail(const std::vector<Step>& whole, const std::vector<Step>& later, std::size_t skipped) {
  for (std::size_t i = 0; i < later.size(); ++i) {
    CAPTURE(i);
    REQUIRE(later[i].report == whole[skipped + i].report);
    check_same(later[i].state, whole[skipped + i].state);
  }
}

std::vector<Step> whole_run(Correction correction) {
  PileScene scene;
  TimeStepper stepper(scene.system, restarting(correction));
  return run(stepper, kSteps);
}

// A wall of bricks that stand, until a ball comes.
struct WallScene : FloorScene {
  WallScene() : FloorScene(rough(0.6)) {
    const Box brick{{0.4, 0.2, 0.2}};
    for (int row = 0; row < 4; ++row) {
      for (int column = 0; column < 4; ++column) {
        add_solid(system, brick, {0.41 * column + 0.2 * (row % 2), 0, 0.1 + 0.2 * row});
      }
    }
    const BodyId ball = add_solid(system, Sphere{0.15}, {0.7, -0.4, 0.5});
    set_velocity(system, ball, {0, 0, 0}, {0, 5, 0});
  }
};

// Makes the blocks of W, which steps in the space of velocities do without.
void look_at_blocks(const LocalDynamics& graph) {
  for (const DiagonalBlock& row : graph.rows()) {
    for (const OffDiagonalBlock& block : graph.adjacent(row)) CHECK(block.W.allFinite());
  }
  const LocalDynamics copy = graph;
  CHECK(copy.constraint_count() == graph.constraint_count());
}

}  // namespace

TEST_CASE("a pile goes on from its saved state bit for bit") {
  for (const Correction correction : {Correction::projection, Correction::baumgarte}) {
    CAPTURE(static_cast<int>(correction));
    const std::vector<Step> whole = whole_run(correction);
    // It is worth saving: contacts, islands, slip and motion are there.
    CHECK(whole.back().report[2] > 40);
    for (const int at : {1, kSteps / 2, kSteps - 20}) {
      CAPTURE(at);
      PileScene fresh;
      TimeStepper stepper(fresh.system, restarting(correction));
      stepper.restore(whole[static_cast<std::size_t>(at - 1)].state);
      check_same(stepper.state(), whole[static_cast<std::size_t>(at - 1)].state);
      CHECK(stepper.steps() == at);
      check_tail(whole, run(stepper, kSteps - at), static_cast<std::size_t>(at));
    }
  }
}

TEST_CASE("a short run goes on bit for bit from each of its steps") {
  PileScene scene;
  TimeStepper stepper(scene.system, restarting(Correction::projection));
  (void)run(stepper, 90);
  const std::vector<Step> whole = run(stepper, 16);
  CHECK(whole.back().report[2] > 10);
  for (std::size_t at = 0; at + 1 < whole.size(); ++at) {
    CAPTURE(at);
    PileScene fresh;
    TimeStepper again(fresh.system, restarting(Correction::projection));
    again.restore(whole[at].state);
    check_tail(whole, run(again, static_cast<int>(whole.size() - 1 - at)), at + 1);
  }
}

TEST_CASE("a restored run knows the contacts of the last step") {
  PileScene scene, fresh;
  TimeStepper stepper(scene.system, restarting(Correction::projection)), again(fresh.system, stepper.options());
  (void)run(stepper, 80);
  again.restore(stepper.state());
  const std::vector<ActiveContact> expected = stepper.contacts(), found = again.contacts();
  REQUIRE(expected.size() > 30);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].identity == expected[i].identity);
    CHECK(found[i].master == expected[i].master);
    CHECK(found[i].slave == expected[i].slave);
    CHECK(found[i].point.point == expected[i].point.point);
    CHECK(found[i].point.frame == expected[i].point.frame);
    CHECK(found[i].reaction == expected[i].reaction);
    CHECK(found[i].slips == expected[i].slips);
  }
}

TEST_CASE("a stepper that has gone on elsewhere goes back to a saved state") {
  const std::vector<Step> whole = whole_run(Correction::projection);
  PileScene scene;
  TimeStepper stepper(scene.system, restarting(Correction::projection));
  run(stepper, 70);
  stepper.restore(whole[39].state);
  check_tail(whole, run(stepper, kSteps - 40), 40);
}

TEST_CASE("the bits do not depend on the number of threads, nor does a restart on another number") {
  const std::vector<Step> whole = whole_run(Correction::projection);
  for (const int at : {0, 50, 90}) {
    CAPTURE(at);
    PileScene fresh;
    TimeStepper stepper(fresh.system, restarting(Correction::projection, 2));
    if (at > 0) stepper.restore(whole[static_cast<std::size_t>(at - 1)].state);
    check_tail(whole, run(stepper, 15), static_cast<std::size_t>(at));
  }
}

TEST_CASE("a restart between two bounces of one ball") {
  const auto bouncing = [] {
    auto scene = std::make_unique<FloorScene>(PairMaterial{.restitution = 0.8});
    add_solid(scene->system, Sphere{0.1}, {0, 0, 0.2});
    add_solid(scene->system, Sphere{0.1}, {0, 0.3, 0.3});
    return scene;
  };
  const auto first = bouncing();
  TimeStepper stepper(first->system, {.step = 1e-3});
  const std::vector<Step> whole = run(stepper, 600);
  for (const std::size_t at : {100, 141, 142, 143, 144, 300}) {
    CAPTURE(at);
    const auto fresh = bouncing();
    TimeStepper again(fresh->system, {.step = 1e-3});
    again.restore(whole[at - 1].state);
    check_tail(whole, run(again, 600 - static_cast<int>(at)), at);
  }
}

TEST_CASE("a restart of balls with rolling and torsional friction, which end at rest") {
  const auto rolling = [] {
    auto scene = std::make_unique<FloorScene>(
        PairMaterial{.static_friction = 0.5, .kinetic_friction = 0.4, .rolling = 0.01, .torsional = 0.002});
    for (const double y : {0.0, 0.19}) {  // they lean on each other
      const BodyId ball = add_solid(scene->system, Sphere{0.1}, {0, y, 0.1 + y / 4});
      set_velocity(scene->system, ball, {0, 2, 5}, {0.3, 0.1, 0});
    }
    return scene;
  };
  const auto first = rolling();
  TimeStepper stepper(first->system, {.step = 5e-3});
  const std::vector<Step> whole = run(stepper, 300);
  bool moments = false;
  for (const ActiveContact& contact : stepper.contacts()) {
    const double limit = 0.01 * contact.reaction[2];
    CHECK(contact.moment.head<2>().norm() <= limit * (1 + 1e-6) + 1e-9);
    moments = moments || contact.moment.norm() > 0;
  }
  CHECK(moments);
  for (const BodyId ball : {BodyId{1}, BodyId{2}}) CHECK(first->system.bodies()[ball].velocity().norm() < 1e-6);
  for (const std::size_t at : {10, 50, 150}) {
    CAPTURE(at);
    const auto fresh = rolling();
    TimeStepper again(fresh->system, {.step = 5e-3});
    again.restore(whole[at - 1].state);
    check_tail(whole, run(again, 300 - static_cast<int>(at)), at);
  }
}

TEST_CASE("a run to which a shape came between steps goes on elsewhere bit for bit") {
  const auto tumbling = [](bool whole) {
    auto scene = std::make_unique<FloorScene>(rough(0.5));
    const BodyId body = add_solid(scene->system, Box{{0.2, 0.2, 0.2}}, {0, 0, 0.11});
    if (whole) scene->system.add_collider({.body = body, .shape = Sphere{0.1}, .position = {0, 0, 2}});
    set_velocity(scene->system, body, {2, 3, 1}, {0, 0, 1});
    return scene;
  };
  const auto first = tumbling(false);
  TimeStepper stepper(first->system, {.step = 1e-3});
  (void)run(stepper, 3);
  first->system.add_collider({.body = BodyId{1}, .shape = Sphere{0.1}, .position = {0, 0, 2}});
  (void)run(stepper, 1);
  const StepperState saved = stepper.state();
  const auto fresh = tumbling(true);
  TimeStepper again(fresh->system, {.step = 1e-3});
  again.restore(saved);
  check_tail(run(stepper, 400), run(again, 400), 0);
}

TEST_CASE("a state that does not fit is refused and changes nothing") {
  PileScene scene;
  TimeStepper stepper(scene.system, restarting(Correction::projection));
  run(stepper, 60);
  const StepperState good = stepper.state();
  REQUIRE(!good.contacts.empty());
  REQUIRE(!good.reactions.empty());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refuse = [&](StepperState state) {
    CHECK_THROWS_AS(stepper.restore(state), std::invalid_argument);
    check_same(stepper.state(), good);
  };
  StepperState bad = good;
  SUBCASE("a number of a body is missing") {
    bad.bodies.pop_back();
    refuse(bad);
  }
  SUBCASE("a number of a body is too many") {
    bad.bodies.push_back(0);
    refuse(bad);
  }
  SUBCASE("a body is nowhere") {
    bad.bodies.back() = nan;
    refuse(bad);
  }
  SUBCASE("a quaternion is not of unit length") {
    bad.bodies[bad.bodies.size() - 7] += 0.1;  // the last of the last body's, before its 6 velocities
    refuse(bad);
  }
  SUBCASE("references of half a body") {
    bad.references.pop_back();
    refuse(bad);
  }
  SUBCASE("references of more bodies than there are") {
    bad.references.push_back(0);
    refuse(bad);
  }
  SUBCASE("half a contact") {
    bad.contacts.pop_back();
    refuse(bad);
  }
  SUBCASE("no next identity") {
    bad.identities.clear();
    refuse(bad);
  }
  SUBCASE("a collider that is not there") {
    bad.contacts[0] = 1000;
    refuse(bad);
  }
  SUBCASE("a contact nowhere") {
    bad.contacts[5] = nan;
    refuse(bad);
  }
  SUBCASE("a reaction without end") {
    bad.reactions.back() = std::numeric_limits<double>::infinity();
    refuse(bad);
  }
  SUBCASE("references nowhere") {
    bad.references[0] = nan;
    refuse(bad);
  }
  SUBCASE("no time") {
    bad.time = nan;
    refuse(bad);
  }
  SUBCASE("a step before the first") {
    bad.step = -1;
    refuse(bad);
  }
  SUBCASE("a step that none can follow") {
    bad.step = std::numeric_limits<std::int64_t>::max();
    refuse(bad);
  }
  SUBCASE("a reaction of nothing") {
    bad.reactions.push_back(0);
    refuse(bad);
  }
  // It still goes on as if nothing had been tried.
  PileScene other;
  TimeStepper undisturbed(other.system, restarting(Correction::projection));
  undisturbed.restore(good);
  CHECK(numbers_of(stepper.step()) == numbers_of(undisturbed.step()));
}

TEST_CASE("blocks on contacts that give way: they sink by m g over the stiffness of their corners, and restart") {
  constexpr double k = 4e5;
  const auto soft = [] {
    auto scene = std::make_unique<FloorScene>(
        PairMaterial{.static_friction = 0.5, .kinetic_friction = 0.5, .stiffness = k, .damping = 2000});
    for (const double z : {0.1001, 0.3003}) add_solid(scene->system, Box{{0.2, 0.2, 0.2}}, {0, 0, z});
    return scene;
  };
  const auto first = soft();
  TimeStepper stepper(first->system, {.step = 2e-3});
  const std::vector<Step> whole = run(stepper, 500);
  const double weight = first->system.bodies()[BodyId{1}].mass() * 9.81;
  const auto height = [&](BodyId id) { return first->system.bodies()[id].to_space(Eigen::Vector3d::Zero())[2]; };
  CHECK(height(BodyId{1}) == doctest::Approx(0.1 - 2 * weight / (4 * k)).epsilon(1e-7));
  CHECK(height(BodyId{2}) == doctest::Approx(0.3 - 3 * weight / (4 * k)).epsilon(1e-7));
  for (const int threads : {1, 2}) {
    const auto fresh = soft();
    TimeStepper again(fresh->system, {.step = 2e-3, .stop = {.threads = threads}});
    again.restore(whole[39].state);
    check_tail(whole, run(again, 460), 40);
  }
}

TEST_CASE("looks at the graph change no bit of a run, in a step or between steps") {
  constexpr int kSeen = 60;
  WallScene alone;
  TimeStepper unseen(alone.system, restarting(Correction::projection));
  const std::vector<Step> whole = run(unseen, kSeen);
  CHECK(whole.back().report[2] > 20);

  WallScene watched;
  TimeStepper in_step(watched.system, restarting(Correction::projection));
  in_step.on_solved(look_at_blocks);
  check_tail(whole, run(in_step, kSeen), 0);

  WallScene visited;
  TimeStepper between(visited.system, restarting(Correction::projection));
  for (int i = 0; i < kSeen; ++i) {
    check_tail(whole, run(between, 1), static_cast<std::size_t>(i));
    look_at_blocks(visited.system.graph());
  }
}
