// What rests sleeps, costs nothing, and wakes when something concerns it.

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

#include <locdyn/forces/function_force.hpp>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

constexpr double kRestStep = 2e-3;
constexpr int kUntilAsleep = 60;  // steps after which a body at rest sleeps

// A stack of three boxes (1, 2, 3), a box apart (4), and a ball (5) that rolls towards the stack from afar.
struct StruckStack : FloorScene {
  BodyId ball;

  explicit StruckStack(double speed = 2) : FloorScene(rough(0.5)) {
    for (int i = 0; i < 3; ++i) add_solid(system, Box{{0.4, 0.4, 0.4}}, {0, 0, 0.2 + 0.4 * i});
    add_solid(system, Box{{0.4, 0.4, 0.4}}, {0, 3, 0.2});
    ball = add_solid(system, Sphere{0.2}, {-0.8, 0, 0.2});
    set_velocity(system, ball, {0, speed / 0.2, 0}, {speed, 0, 0});
  }
};

TimeStepperOptions sleep_options(bool sleep = true, int threads = 1) {
  return {.step = kRestStep, .stop = {.threads = threads}, .sleep = sleep};
}

void pass_steps(TimeStepper& stepper, int count) {
  for (int i = 0; i < count; ++i) (void)stepper.step();
}

std::vector<double> numbers_with_sleep(const StepReport& report) {
  std::vector<double> numbers = numbers_of(report);
  numbers.push_back(static_cast<double>(report.sleeping));
  return numbers;
}

void check_numbers(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t place = 0; place < found.size(); ++place) {
    CAPTURE(place);
    REQUIRE(found[place] == expected[place]);
  }
}

// Counts the bodies that the step asks detection to look at.
class CountingDetector final : public ContactDetector {
 public:
  explicit CountingDetector(std::size_t& asked) : asked_(asked) {}
  ColliderId add(const Collider& collider, const BodySet& bodies) override { return inner_->add(collider, bodies); }
  void exclude(BodyId a, BodyId b) override { inner_->exclude(a, b); }
  std::span<const DetectedContact> detect(const BodySet& bodies, std::span<const double> reach,
                                          std::span<const std::uint8_t> moved) override {
    return inner_->detect(bodies, reach, moved);
  }
  std::span<const DetectedContact> detect_among(const BodySet& bodies, std::span<const BodyId> active,
                                                std::span<const double> reach,
                                                std::span<const std::uint8_t> moved) override {
    asked_ = active.size();
    return inner_->detect_among(bodies, active, reach, moved);
  }

 private:
  std::unique_ptr<ContactDetector> inner_ = make_bullet_detector();
  std::size_t& asked_;
};

// A force that says it acts on all bodies.
class ForceOnAll final : public Force {
 public:
  [[nodiscard]] std::string_view kind() const noexcept override { return "force on all"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return {}; }
  void attach(const BodySet&) override {}
  void add_to(BodySet&) override {}
  [[nodiscard]] bool depends_on_velocity() const noexcept override { return false; }
};

// A box at rest, and a ball that rolls past it at that distance. They would bounce off each other, so that their
// contact is not in the graph before they touch.
struct PassedBox : FloorScene {
  std::unique_ptr<TimeStepper> stepper;

  explicit PassedBox(double distance) : FloorScene(rough(0.5)) {
    const SurfaceId lively = system.materials.add_surface("lively", {});
    system.materials.set_pair(lively, SurfaceId{0}, rough(0.5));
    system.materials.set_pair(lively, lively, {.restitution = 0.5});
    const auto add = [&](const Shape& shape, const Vector3d& position) {
      const BodyId body = system.add(std::make_unique<RigidBody>(mass_properties(shape, 1000), position));
      system.add_collider({.body = body, .shape = shape, .surface = lively});
      return body;
    };
    add(Box{{0.4, 0.4, 0.4}}, {0, 0, 0.2});
    set_velocity(system, add(Sphere{0.2}, {0.4 + distance, 0, 0.2}), {-0.5 / 0.2, 0, 0}, {0, 0.5, 0});
    stepper = std::make_unique<TimeStepper>(system, sleep_options());
  }
  // The most that slept in so many steps.
  std::size_t most_asleep(int steps) {
    std::size_t most = 0;
    for (int i = 0; i < steps; ++i) most = std::max(most, stepper->step().sleeping);
    return most;
  }
};

// Two boxes on each other, and one apart, asleep.
struct Sleepers : FloorScene {
  std::unique_ptr<TimeStepper> stepper;

  Sleepers() : FloorScene(rough(0.5)) {
    add_solid(system, Box{{0.4, 0.4, 0.4}}, {0, 0, 0.2});
    add_solid(system, Box{{0.4, 0.4, 0.4}}, {0, 0, 0.6});
    add_solid(system, Box{{0.4, 0.4, 0.4}}, {0, 2, 0.2});
    stepper = std::make_unique<TimeStepper>(system, sleep_options());
    pass_steps(*stepper, kUntilAsleep);
    REQUIRE(stepper->step().sleeping == 3);
  }
};

}  // namespace

TEST_CASE("a stack sleeps until a ball strikes it, and then moves as one that never slept") {
  // So tight that what either run keeps of error stays far below what is compared.
  StruckStack scene, other;
  TimeStepperOptions options = sleep_options();
  options.stop.tolerance = 1e-10;
  TimeStepper stepper(scene.system, options);
  options.sleep = false;
  TimeStepper awake(other.system, options);
  std::size_t most = 0;
  int woke = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t before = most;
    const StepReport report = stepper.step();
    const StepReport reference = awake.step();
    CHECK(reference.sleeping == 0);
    most = std::max(most, report.sleeping);
    if (before == 4 && report.sleeping == 1 && woke == 0) woke = i;
    CAPTURE(i);
    // What was asleep creeps no more; else the same motion.
    for (BodyId id{1}; id < scene.system.bodies().size(); ++id) {
      const Eigen::VectorXd a = scene.system.bodies()[id].configuration(),
                            b = other.system.bodies()[id].configuration();
      REQUIRE((a - b).norm() < 1e-6);
    }
    CHECK(report.penetration == doctest::Approx(reference.penetration).epsilon(1e-3).scale(1e-6));
    CHECK(report.potential_energy == doctest::Approx(reference.potential_energy).epsilon(1e-9));
    CHECK(report.momentum.z() == doctest::Approx(reference.momentum.z()).epsilon(1e-5).scale(1));
  }
  CHECK(most == 4);
  CHECK(woke > kUntilAsleep);
  // It was struck: the lowest box has moved.
  CHECK(std::abs(scene.system.bodies()[BodyId{1}].configuration()[0]) > 1e-3);
}

TEST_CASE("as long as nothing sleeps the bits are those of a run without sleep") {
  PileScene pile, other;
  TimeStepper stepper(pile.system, sleep_options()), awake(other.system, sleep_options(false));
  for (int i = 0; i < 80; ++i) {
    const StepReport report = stepper.step();
    REQUIRE(report.sleeping == 0);
    REQUIRE(numbers_of(report) == numbers_of(awake.step()));
  }
  CHECK(stepper.state().bodies == awake.state().bodies);
  CHECK(awake.state().sleep.empty());
}

TEST_CASE("a step looks at what is awake alone") {
  std::size_t asked = 0;
  System system(std::make_unique<CountingDetector>(asked));
  system.materials.set_pair(SurfaceId{0}, SurfaceId{0}, rough(0.5));
  system.add_collider({.body = system.add(std::make_unique<Obstacle>()), .shape = Plane{}});
  const BodyId ball = add_solid(system, Sphere{0.2}, {0, 0, 0.2});
  set_velocity(system, ball, {0, 5, 0}, {1, 0, 0});
  for (int i = 0; i < 600; ++i) add_solid(system, Box{{0.4, 0.4, 0.4}}, {0.8 * (i % 30), 1 + 0.8 * (i / 30), 0.2});
  TimeStepper stepper(system, sleep_options());
  StepReport report = stepper.step();
  CHECK(asked == 602);
  CHECK(report.contacts == 2401);
  pass_steps(stepper, kUntilAsleep);
  report = stepper.step();
  CHECK(asked == 1);
  CHECK(report.sleeping == 600);
  CHECK(report.contacts == 1);
  CHECK(system.assembly().kinematics().bodies().size() == 1);
  CHECK(system.graph().id_bound() < 50);
  CHECK(stepper.contacts().size() == 2401);  // they are still there for output
  CHECK(report.potential_energy == doctest::Approx(600 * 64 * 9.81 * 0.2 + system.bodies()[ball].mass() * 9.81 * 0.2));
}

TEST_CASE("what sleeps does not creep, and its contacts carry its weight") {
  Sleepers scene;
  const std::vector<double> bodies = scene.stepper->state().bodies;
  pass_steps(*scene.stepper, 1000);
  CHECK(scene.stepper->state().bodies == bodies);
  double weight = 0;
  for (const ActiveContact& contact : scene.stepper->contacts()) {
    if (contact.master == 0) weight += contact.reaction[2];
  }
  CHECK(weight == doctest::Approx(3 * 64 * 9.81));
}

TEST_CASE("what concerns a sleeper wakes it, and its island alone") {
  Sleepers scene;
  System& system = scene.system;
  TimeStepper& stepper = *scene.stepper;
  const auto sleeping = [&] { return stepper.step().sleeping; };
  SUBCASE("nothing") {
    CHECK(sleeping() == 3);
  }
  SUBCASE("a look at it") {
    (void)system.bodies()[BodyId{2}].velocity();
    (void)system.bodies()[BodyId{2}].configuration();
    CHECK(sleeping() == 3);
  }
  SUBCASE("a velocity") {
    set_velocity(system, BodyId{2}, {0, 0, 0}, {0, 0, 1});
    CHECK(sleeping() == 1);
    CHECK(system.bodies()[BodyId{2}].velocity()[5] > 0.5);
  }
  SUBCASE("a velocity through a reference held before") {
    Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
    u[5] = 1;
    Body& body = system.bodies()[BodyId{3}];
    body.set_velocity(u);
    CHECK(sleeping() == 2);
  }
  SUBCASE("another place") {
    Eigen::VectorXd q = system.bodies()[BodyId{3}].configuration();
    q[2] += 1;
    system.bodies()[BodyId{3}].set_configuration(q);
    CHECK(sleeping() == 2);
    CHECK(system.bodies()[BodyId{3}].velocity()[5] < 0);
  }
  SUBCASE("gravity") {
    system.gravity = {0, 0, 9.81};
    CHECK(sleeping() == 0);
    CHECK(system.bodies()[BodyId{3}].velocity()[5] > 0);
  }
  SUBCASE("a material") {
    system.gravity = {4, 0, -9};
    pass_steps(stepper, kUntilAsleep);
    REQUIRE(sleeping() == 3);  // friction holds them on the slope
    system.materials.set_pair(SurfaceId{0}, SurfaceId{0}, rough(0.1));
    CHECK(sleeping() == 0);
    CHECK(system.bodies()[BodyId{3}].velocity()[3] > 0);
  }
  SUBCASE("the support goes down") {
    static_cast<Obstacle&>(system.bodies()[scene.floor]).set_motion({0, 0, -5}, {0, 0, 0}, {0, 0, 0});
    CHECK(sleeping() == 0);
    CHECK(system.bodies()[BodyId{3}].velocity()[5] == doctest::Approx(-9.81 * kRestStep));
  }
  SUBCASE("the support is driven, and stays so") {
    system.add_drive(scene.floor, [](double, double) { return ObstacleMotion{}; });
    CHECK(sleeping() == 0);
    pass_steps(stepper, kUntilAsleep);
    CHECK(sleeping() == 0);
  }
  SUBCASE("a load that comes, and stays") {
    system.add_load([](double t, double, BodySet& bodies) {
      if (t > 0.2) bodies[BodyId{3}].add_force({20, 0, 0}, bodies[BodyId{3}].to_space({0, 0, 0}));
    });
    REQUIRE(stepper.time() < 0.19);
    CHECK(sleeping() == 3);
    while (stepper.time() < 0.2) (void)stepper.step();
    CHECK(sleeping() == 2);
    pass_steps(stepper, kUntilAsleep);
    CHECK(sleeping() == 2);
  }
  SUBCASE("an applied force on it") {
    system.add_force(
        std::make_unique<FunctionForce>(Anchor{{0, 2, 0.2}, BodyId{3}}, [](const PointState&) { return Wrench{}; }));
    CHECK(sleeping() == 2);
    pass_steps(stepper, kUntilAsleep);
    CHECK(sleeping() == 2);
  }
  SUBCASE("an applied force on all") {
    system.add_force(std::make_unique<ForceOnAll>());
    CHECK(sleeping() == 0);
    pass_steps(stepper, kUntilAsleep);
    CHECK(sleeping() == 0);
  }
  SUBCASE("a constraint") {
    system.add_constraint(std::make_unique<FixedPoint>(Anchor{{0, 2, 0.4}}, Anchor{{0, 2, 0.4}, BodyId{3}}));
    CHECK(sleeping() == 2);
    pass_steps(stepper, kUntilAsleep);
    CHECK(sleeping() == 2);
  }
  SUBCASE("a shape") {
    system.add_collider({.body = BodyId{3}, .shape = Sphere{0.1}, .position = {0, 0, 1}});
    CHECK(sleeping() == 2);
    pass_steps(stepper, kUntilAsleep);
    CHECK(sleeping() == 3);
  }
  SUBCASE("pairs that no longer touch") {
    system.exclude_pair(BodyId{1}, BodyId{2});
    CHECK(sleeping() == 1);
    CHECK(system.bodies()[BodyId{2}].velocity()[5] < 0);
  }
  SUBCASE("a body that is set down on it, and sleeps with it") {
    add_solid(system, Box{{0.4, 0.4, 0.4}}, {0, 2, 0.6});
    CHECK(sleeping() == 2);
    pass_steps(stepper, kUntilAsleep);
    CHECK(sleeping() == 4);
    set_velocity(system, BodyId{3}, {0, 0, 0}, {1, 0, 0});
    CHECK(sleeping() == 2);
  }
  SUBCASE("a body far away") {
    add_solid(system, Box{{0.4, 0.4, 0.4}}, {0, 5, 1});
    CHECK(sleeping() == 3);
  }
  SUBCASE("an obstacle that comes to it") {
    const BodyId wall = system.add(std::make_unique<Obstacle>());
    system.add_collider({.body = wall, .shape = Box{{0.1, 1, 1}}, .position = {-1, 2, 0.6}});
    CHECK(sleeping() == 3);
    static_cast<Obstacle&>(system.bodies()[wall]).set_motion({2, 0, 0}, {0, 0, 0}, {0, 0, 0});
    CHECK(sleeping() == 3);
    pass_steps(stepper, 400);
    CHECK(system.bodies()[BodyId{3}].velocity()[3] == doctest::Approx(2).epsilon(1e-6));
    CHECK(sleeping() == 2);
  }
}

TEST_CASE("what would be woken at once by a body that passes close by stays awake until that has gone") {
  PassedBox near(1e-4), far(1);
  CHECK(far.most_asleep(2 * kUntilAsleep) == 1);
  CHECK(near.most_asleep(2 * kUntilAsleep) == 0);
  CHECK(near.most_asleep(600) == 1);
}

TEST_CASE("bodies that float at rest without gravity sleep until they are struck") {
  System system(make_bullet_detector());
  system.gravity.setZero();
  const BodyId one = add_solid(system, Sphere{0.2}, {0, 0, 0});
  const BodyId other = add_solid(system, Sphere{0.2}, {1, 0, 0});
  set_velocity(system, other, {0, 0, 0}, {-1, 0, 0});
  TimeStepper stepper(system, sleep_options());
  pass_steps(stepper, kUntilAsleep);
  CHECK(stepper.step().sleeping == 1);
  pass_steps(stepper, 300);
  CHECK(system.bodies()[one].velocity()[3] == doctest::Approx(-0.5));
}

TEST_CASE("a run that falls asleep and wakes goes on from any saved state bit for bit, on any number of threads") {
  const auto run = [](TimeStepper& stepper, int steps) {
    std::vector<std::pair<std::vector<double>, StepperState>> taken;
    for (int i = 0; i < steps; ++i) {
      std::vector<double> numbers = numbers_with_sleep(stepper.step());
      taken.emplace_back(std::move(numbers), stepper.state());
    }
    return taken;
  };
  StruckStack scene;
  TimeStepper stepper(scene.system, sleep_options());
  const auto whole = run(stepper, 320);
  std::vector<std::size_t> saved{1, 20, 300};
  for (std::size_t i = 1; i < whole.size(); ++i) {  // around every change of what sleeps
    if (whole[i].first.back() == whole[i - 1].first.back()) continue;
    for (const std::size_t at : {i - 1, i, i + 1}) saved.push_back(at);
  }
  CHECK(saved.size() >= 9);
  for (const std::size_t at : saved) {
    CAPTURE(at);
    StruckStack fresh;
    TimeStepper again(fresh.system, sleep_options(true, 1 + static_cast<int>(at % 2)));
    again.restore(whole[at - 1].second);
    check_same(again.state(), whole[at - 1].second);
    CHECK(again.contacts().size() >= 4);
    const auto tail = run(again, 320 - static_cast<int>(at));
    for (std::size_t i = 0; i < tail.size(); ++i) {
      CAPTURE(i);
      check_numbers(tail[i].first, whole[at + i].first);
      check_numbers(tail[i].second.sleep, whole[at + i].second.sleep);
      check_same(tail[i].second, whole[at + i].second);
    }
  }
  stepper.restore(whole[150].second);  // back from elsewhere
  check_same(run(stepper, 100).back().second, whole[250].second);
}

TEST_CASE("a change between steps is part of what is saved") {
  for (const bool support : {false, true}) {
    CAPTURE(support);
    const auto change = [&](System& system) {
      if (support) static_cast<Obstacle&>(system.bodies()[BodyId{0}]).set_motion({0, 0, -1}, {0, 0, 0}, {0, 0, 0});
      if (!support) set_velocity(system, BodyId{3}, {0, 0, 0}, {0, 0, 1});
    };
    Sleepers scene, fresh;
    change(scene.system);
    const StepperState saved = scene.stepper->state();
    if (support) change(fresh.system);  // motions are not part of a state
    fresh.stepper->restore(saved);
    for (int i = 0; i < 20; ++i) {
      const std::vector<double> expected = numbers_with_sleep(scene.stepper->step());
      check_numbers(numbers_with_sleep(fresh.stepper->step()), expected);
    }
    check_same(scene.stepper->state(), fresh.stepper->state());
  }
}

TEST_CASE("a state in which something sleeps that cannot is refused") {
  Sleepers scene;
  const StepperState good = scene.stepper->state();
  const auto refuse = [&](const std::function<void(std::vector<double>&)>& spoil) {
    StepperState bad = good;
    spoil(bad.sleep);
    CHECK_THROWS_AS(scene.stepper->restore(bad), std::invalid_argument);
    check_same(scene.stepper->state(), good);
  };
  REQUIRE(good.sleep.size() == 8);
  refuse([](auto& sleep) { sleep.resize(3); });
  refuse([](auto& sleep) { sleep.push_back(0); });
  refuse([](auto& sleep) { sleep[4] = -1; });  // the floor
  refuse([](auto& sleep) { sleep[6] = -4; });  // of a body that comes after it
  refuse([](auto& sleep) { sleep[6] = 0.5; });
  refuse([](auto& sleep) { sleep[6] = 1e9; });
  refuse([](auto& sleep) { sleep[5] = 0; });  // the least body of an island is awake
  refuse([](auto& sleep) { sleep[0] = std::numeric_limits<double>::quiet_NaN(); });
  CHECK(scene.stepper->step().sleeping == 3);
}

TEST_CASE("a run without sleep goes on from a state in which something sleeps") {
  Sleepers scene, fresh;
  fresh.stepper.reset();
  TimeStepper awake(fresh.system, sleep_options(false));
  awake.restore(scene.stepper->state());
  CHECK(awake.contacts().size() == scene.stepper->contacts().size());
  for (int i = 0; i < 10; ++i) CHECK(awake.step().sleeping == 0);
}
