// What is removed between steps: bodies, shapes, constraints and forces.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <vector>

#include <locdyn/forces/point_spring_damper.hpp>
#include <locdyn/simulation/energies.hpp>
#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

constexpr double kH = 2e-3;

TimeStepperOptions stepping(bool sleep = true, int threads = 1) {
  return {.step = kH, .stop = {.threads = threads}, .sleep = sleep};
}

// Boxes of 0.4 m on each other.
struct Tower : FloorScene {
  std::vector<BodyId> boxes;
  explicit Tower(int levels = 3) : FloorScene(rough(0.5)) {
    for (int i = 0; i < levels; ++i) boxes.push_back(add_solid(system, Box{{0.4, 0.4, 0.4}}, {0, 0, 0.2 + 0.4 * i}));
  }
  [[nodiscard]] double height(int i) const { return system.bodies()[boxes[i]].to_space(Vector3d::Zero())[2]; }
};

void pass(TimeStepper& stepper, int steps) {
  for (int i = 0; i < steps; ++i) REQUIRE(!stepper.step().failed());
}

template <class Call>
std::string out_of_range(const Call& call) {
  try {
    call();
  } catch (const std::out_of_range& fault) {
    return fault.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("a tower whose lowest box is removed falls, awake or asleep, and the others keep their ids") {
  for (const bool asleep : {false, true}) {
    CAPTURE(asleep);
    Tower tower;
    TimeStepper stepper(tower.system, stepping());
    pass(stepper, asleep ? 200 : 5);
    CHECK((stepper.step().sleeping == 3) == asleep);
    const double before = tower.height(2);
    tower.system.remove(tower.boxes[0]);
    CHECK(tower.system.bodies().size() == 3);
    CHECK(!tower.system.bodies().contains(tower.boxes[0]));
    for (const ActiveContact& contact : stepper.contacts()) {
      CHECK(contact.point.master != tower.boxes[0]);
      CHECK(contact.point.slave != tower.boxes[0]);
    }
    const StepReport first = stepper.step();
    CHECK(first.sleeping == 0);
    CHECK(tower.system.graph().constraint_count() == 4);  // the corners of the upper on the middle
    pass(stepper, 99);
    CHECK(tower.height(2) == doctest::Approx(before - 0.5 * 9.81 * std::pow(100 * kH, 2)).epsilon(1e-6));
    pass(stepper, 400);
    CHECK(tower.height(1) == doctest::Approx(0.2).epsilon(1e-3));
    CHECK(tower.height(2) == doctest::Approx(0.6).epsilon(1e-3));
  }
}

TEST_CASE("what stands elsewhere sleeps on") {
  Tower tower(2);
  const BodyId apart = add_solid(tower.system, Box{{0.4, 0.4, 0.4}}, {0, 3, 0.2});
  TimeStepper stepper(tower.system, stepping());
  pass(stepper, 200);
  REQUIRE(stepper.step().sleeping == 3);
  tower.system.remove(apart);
  CHECK(stepper.step().sleeping == 2);
}

TEST_CASE("a run without a body from the start has the bits of one that never had it") {
  const auto heights = [](bool ghost, int threads) {
    Tower tower(2);
    if (ghost) {
      const BodyId body = tower.system.add(std::make_unique<RigidBody>(mass_properties(Sphere{0.3}, 1000),
                                                                       Vector3d(0.1, 0, 1.5), Orientation::Identity()),
                                           "ghost");
      tower.system.add_collider({.body = body, .shape = Sphere{0.3}});
      tower.system.remove(body);
    }
    tower.boxes.push_back(add_solid(tower.system, Box{{0.4, 0.4, 0.4}}, {0.1, 0.05, 1.3}));
    TimeStepper stepper(tower.system, stepping(true, threads));
    std::vector<double> numbers;
    for (int i = 0; i < 300; ++i) {
      const StepReport report = stepper.step();
      numbers.push_back(report.residual);
      for (const BodyId box : tower.boxes) {
        const auto q = tower.system.bodies()[box].configuration();
        numbers.insert(numbers.end(), q.begin(), q.end());
      }
    }
    return numbers;
  };
  const std::vector<double> never = heights(false, 1);
  CHECK(heights(true, 1) == never);
  CHECK(heights(true, 2) == never);
}

TEST_CASE("a shape, a constraint and a force: what they held moves, and wakes") {
  Tower tower(1);
  const BodyId hung = add_solid(tower.system, Box{{0.2, 0.2, 0.2}}, {3, 0, 2});
  const ConstraintId hook = tower.system.add_constraint(
      std::make_unique<FixedPoint>(Anchor{.point = Vector3d(3, 0, 2), .body = hung}), "hook");
  const BodyId sprung = add_solid(tower.system, Box{{0.2, 0.2, 0.2}}, {6, 0, 2});
  const double weight = tower.system.bodies()[sprung].mass() * 9.81;
  const ForceId spring = tower.system.add_force(
      std::make_unique<PointSpringDamper>(Anchor{.point = {6, 0, 4}}, Anchor{.point = {6, 0, 2}, .body = sprung},
                                          SpringProperties{.stiffness = weight / 0.5, .damping = 0}, 1.5),
      "spring");
  TimeStepper stepper(tower.system, stepping());
  pass(stepper, 200);
  const auto z = [&](BodyId id) { return tower.system.bodies()[id].to_space(Vector3d::Zero())[2]; };
  CHECK(z(hung) == doctest::Approx(2).epsilon(1e-9));
  CHECK(z(sprung) == doctest::Approx(2).epsilon(1e-6));

  tower.system.remove(hook);
  tower.system.remove(spring);
  tower.system.remove(ColliderId{0});  // the floor's
  CHECK(tower.system.constraints().empty());
  CHECK(tower.system.forces().size() == 0);
  const double box = tower.height(0);
  pass(stepper, 100);
  const double fall = 0.5 * 9.81 * std::pow(100 * kH, 2);
  CHECK(z(hung) == doctest::Approx(2 - fall).epsilon(1e-6));
  CHECK(z(sprung) == doctest::Approx(2 - fall).epsilon(1e-5));
  CHECK(tower.height(0) == doctest::Approx(box - fall).epsilon(1e-6));
  CHECK(tower.system.graph().constraint_count() == 0);
  // Their names are free again.
  CHECK_NOTHROW(tower.system.add_constraint(
      std::make_unique<FixedPoint>(Anchor{.point = Vector3d(3, 0, z(hung)), .body = hung}), "hook"));
  pass(stepper, 1);
}

TEST_CASE("a body takes its shapes, constraints, forces and drives along") {
  Tower tower(1);
  const BodyId lift = tower.system.add(std::make_unique<Obstacle>(), "lift");
  tower.system.add_collider({.body = lift, .shape = Box{{1, 1, 0.1}}, .position = {0, 5, 0}});
  tower.system.add_drive(lift, [](double, double) { return ObstacleMotion{.velocity = {0, 0, 1}}; });
  const BodyId hung = add_solid(tower.system, Box{{0.2, 0.2, 0.2}}, {3, 0, 2});
  tower.system.add_constraint(std::make_unique<FixedPoint>(Anchor{.point = Vector3d(3, 0, 2), .body = hung}));
  tower.system.add_force(std::make_unique<PointSpringDamper>(Anchor{.point = {3, 0, 4}},
                                                             Anchor{.point = {3, 0, 2}, .body = hung},
                                                             SpringProperties{.stiffness = 1, .damping = 1}));
  TimeStepper stepper(tower.system, stepping());
  pass(stepper, 3);
  tower.system.remove(lift);
  tower.system.remove(hung);
  CHECK(tower.system.drives().empty());
  CHECK(tower.system.constraints().empty());
  CHECK(tower.system.forces().size() == 0);
  CHECK(!tower.system.forces().depends_on_velocity());
  pass(stepper, 100);
  CHECK(tower.height(0) == doctest::Approx(0.2).epsilon(1e-4));
  CHECK(energies(tower.system).total == doctest::Approx(64 * 9.81 * 0.2).epsilon(1e-3));
  // The name is free; the id is not given again.
  CHECK(tower.system.add(std::make_unique<Obstacle>(), "lift") == hung.value() + 1);
}

TEST_CASE("removed and foreign ids are refused by name, wherever they are handed in") {
  Tower tower(2);
  System& system = tower.system;
  const BodyId crate = system.add(
      std::make_unique<RigidBody>(mass_properties(Sphere{0.1}, 1000), Vector3d(5, 0, 1), Orientation::Identity()),
      "crate");
  const ColliderId shape = system.add_collider({.body = crate, .shape = Sphere{0.1}});
  const ConstraintId hook = system.add_constraint(
      std::make_unique<FixedPoint>(Anchor{.point = Vector3d(0, 0, 0.6), .body = tower.boxes[1]}), "hook");
  system.remove(hook);
  system.remove(crate);
  CHECK(out_of_range([&] { system.remove(crate); }) == "body \"crate\": was removed");
  CHECK(out_of_range([&] { system.remove(BodyId{77}); }) == "body id: expected less than 4, found 77");
  CHECK(out_of_range([&] { system.remove(shape); }) == "collider 3: was removed");
  CHECK(out_of_range([&] { system.remove(ColliderId{9}); }) == "collider: expected an id below 4, found 9");
  CHECK(out_of_range([&] { system.remove(hook); }) == "constraint \"hook\": was removed");
  CHECK(out_of_range([&] { system.remove(ConstraintId{50}); }) ==
        "constraint: expected one that was added to the system, found 50");
  CHECK(out_of_range([&] { system.remove(ForceId{0}); }) == "force: expected an id below 0, found 0");
  CHECK(out_of_range([&] { (void)system.bodies()[crate].mass(); }) == "body 3: was removed");

  const auto refused = [](const auto& call) {
    CHECK_THROWS_WITH_AS(call(), doctest::Contains("body 3, which was removed"), std::invalid_argument);
  };
  refused([&] { system.add_collider({.body = crate, .shape = Sphere{1}}); });
  refused([&] { system.exclude_pair(crate, tower.floor); });
  refused([&] { system.add_drive(crate, {}); });
  refused(
      [&] { system.add_constraint(std::make_unique<FixedPoint>(Anchor{.point = Vector3d(5, 0, 1), .body = crate})); });
  refused([&] {
    system.add_force(std::make_unique<PointSpringDamper>(Anchor{.point = {3, 0, 4}},
                                                         Anchor{.point = {5, 0, 1}, .body = crate},
                                                         SpringProperties{.stiffness = 1, .damping = 1}));
  });
  CHECK_THROWS_AS((void)system.find("crate"), std::invalid_argument);
}

TEST_CASE("nothing is removed while a step runs") {
  Tower tower(2);
  tower.system.add_load([&](double, double, BodySet&) { tower.system.remove(tower.boxes[0]); });
  TimeStepper stepper(tower.system, stepping());
  CHECK_THROWS_WITH_AS(stepper.step(), doctest::Contains("expected no step to run"), std::logic_error);
  CHECK(tower.system.bodies().contains(tower.boxes[0]));
  CHECK_NOTHROW(tower.system.remove(tower.boxes[0]));
}

TEST_CASE("nothing is added while a step runs, and no other step begins") {
  Tower tower(2);
  System& system = tower.system;
  std::vector<std::function<void()>> asked;
  std::size_t refused = 0;
  system.add_load([&](double, double, BodySet&) {
    for (const auto& ask : asked) {
      CHECK_THROWS_WITH_AS(ask(), doctest::Contains("expected no step to run"), std::logic_error);
      ++refused;
    }
  });
  TimeStepper stepper(system, stepping());
  const StepperState start = stepper.state();
  asked = {[&] {
             add_solid(system, Sphere{0.1}, {9, 0, 1});
           },
           [&] { system.add_collider({.body = tower.boxes[0], .shape = Sphere{1}}); },
           [&] { system.exclude_pair(tower.boxes[0], tower.floor); },
           [&] { system.add_load({}); },
           [&] { system.add_drive(tower.floor, {}); },
           [&] { (void)stepper.step(); },
           [&] { stepper.restore(start); }};
  CHECK_FALSE(stepper.step().failed());
  CHECK(refused == asked.size());
  CHECK(system.bodies().size() == 3);
  CHECK(stepper.steps() == 1);
}

TEST_CASE("a run goes on from its state after a removal, and a state of another system is refused") {
  struct WithHole {
    explicit WithHole(int steps) {
      pass(stepper, steps);
      tower.system.remove(tower.boxes[1]);
    }
    Tower tower{4};
    TimeStepper stepper{tower.system, stepping()};
  };
  for (const int steps : {10, 200}) {
    CAPTURE(steps);
    WithHole run(steps), again(0);
    const StepperState right_away = run.stepper.state();
    again.stepper.restore(right_away);
    check_same(again.stepper.state(), right_away);
    pass(run.stepper, 50);
    pass(again.stepper, 50);
    check_same(again.stepper.state(), run.stepper.state());

    Tower whole(4);
    TimeStepper other(whole.system, stepping());
    CHECK_THROWS_AS(other.restore(run.stepper.state()), std::invalid_argument);
  }
}

TEST_CASE("a system has one stepper at a time, and the next begins without the contacts of the last") {
  Tower tower(4);
  {
    TimeStepper first(tower.system, stepping());
    pass(first, 5);
    CHECK(tower.system.graph().constraint_count() > 0);
    CHECK_THROWS_WITH_AS(TimeStepper(tower.system, stepping()),
                         "time stepper: expected a system that no other moves, found one with a stepper already",
                         std::logic_error);
    pass(first, 5);
  }
  CHECK(tower.system.graph().constraint_count() == 0);
  TimeStepper next(tower.system, stepping());
  const StepReport report = next.step();
  CHECK(report.contacts == tower.system.graph().constraint_count());
  CHECK(report.contacts > 0);
}

TEST_CASE("bodies that come and go leave nothing behind, on any number of threads") {
  const auto counts = [](int threads) {
    FloorScene scene(rough(0.4));
    TimeStepper stepper(scene.system, stepping(true, threads));
    std::mt19937 random(5);
    std::uniform_real_distribution<double> place(-0.4, 0.4);
    std::vector<BodyId> there;
    std::vector<double> numbers;
    for (int i = 0; i < 600; ++i) {
      if (i % 3 == 0)
        there.push_back(add_solid(scene.system, Box{{0.2, 0.2, 0.2}}, {place(random), place(random), 0.6}));
      if (i % 3 == 1 && there.size() > 12) {
        const std::size_t at = random() % there.size();
        scene.system.remove(there[at]);
        there.erase(there.begin() + static_cast<std::ptrdiff_t>(at));
      }
      const StepReport report = stepper.step();
      numbers.push_back(report.potential_energy);
      numbers.push_back(static_cast<double>(report.constraints));
    }
    for (const BodyId body : there) scene.system.remove(body);
    const StepReport empty = stepper.step();
    CHECK(empty.constraints == 0);
    CHECK(empty.sleeping == 0);
    CHECK(empty.kinetic_energy == 0);
    CHECK(scene.system.graph().row_count() == 0);
    CHECK(scene.system.bodies().size() == 1);
    return numbers;
  };
  const std::vector<double> one = counts(1);
  CHECK(counts(2) == one);
}
