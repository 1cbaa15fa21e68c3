// Steps that no reactions solve: they are told apart at once.

#include <atomic>
#include <cmath>
#include <string>

#include <locdyn/simulation/make_bodies.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/step/pressed_together.hpp>
#include <locdyn/solver/step/prospect.hpp>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

constexpr double kRadius = 0.1;

// A column of balls on the floor under a lid that comes down.
struct Column : FloorScene {
  explicit Column(int balls, double speed) : FloorScene(rough(0.5)) {
    for (int i = 0; i < balls; ++i) add_solid(system, Sphere{kRadius}, {0, 0, (2 * i + 1) * kRadius});
    const BodyId lid = system.add(std::make_unique<Obstacle>());
    system.add_collider({.body = lid,
                         .shape = Plane{},
                         .position = {0, 0, 2 * balls * kRadius},
                         .orientation = Orientation(0, 1, 0, 0)});
    system.add_drive(lid, [speed](double, double) { return ObstacleMotion{.velocity = {0, 0, -speed}}; });
  }
};

TimeStepperOptions options() {
  TimeStepperOptions options;
  options.step = 1e-3;
  options.stop.tolerance = 1e-6;
  return options;
}

}  // namespace

TEST_CASE("a lid that comes down on balls: the step fails at once and says why") {
  for (const int balls : {1, 5, 20}) {
    CAPTURE(balls);
    Column scene(balls, 1);
    TimeStepper stepper(scene.system, options());
    const StepReport report = stepper.step();
    CHECK(report.status == SolveStatus::failed);
    CHECK(report.warning.find("no reactions solve it") != std::string::npos);
    CHECK(report.iterations < 500);
    CHECK(report.residual > 0.1);
    CHECK(scene.system.bodies()[BodyId{1}].velocity().allFinite());
    CHECK(search_pressing(scene.system.graph(), {}).pressed());
  }
}

TEST_CASE(
    "a ball that friction holds under an inclined lid: the step ends soon and says why, and slips out where smooth") {
  for (const double friction : {0.8, 0.05}) {
    CAPTURE(friction);
    FloorScene scene(rough(friction));
    add_solid(scene.system, Sphere{kRadius}, {0, 0, kRadius});
    const BodyId lid = scene.system.add(std::make_unique<Obstacle>());
    const Orientation down(Eigen::AngleAxisd(3.14159 - 0.17, Vector3d::UnitY()));
    scene.system.add_collider({.body = lid,
                               .shape = Plane{},
                               .position = Vector3d(0, 0, kRadius) - kRadius * (down * Vector3d::UnitZ()),
                               .orientation = down});
    scene.system.add_drive(lid, [](double, double) { return ObstacleMotion{.velocity = {0, 0, -0.5}}; });
    TimeStepper stepper(scene.system, options());
    const StepReport report = stepper.step();
    CHECK(report.failed() == (friction > 0.5));
    if (!report.failed()) continue;
    CHECK(report.status == SolveStatus::failed);
    CHECK(report.warning.find("no reactions come near a solution") != std::string::npos);
    CHECK(report.iterations < 2000);
    LocalDynamics& graph = scene.system.graph();
    CHECK_FALSE(search_pressing(graph, {}).pressed());
    const NewtonOptions far{.stop = {.tolerance = 1e-6}, .first_sweeps = 0, .far = 0.1, .patience_where_far = 20};
    const SolveReport newton = solve_newton(graph, far);
    CHECK(newton.status == SolveStatus::stalled);
    CHECK(newton.iterations < 100);
  }
}

TEST_CASE("a lid that comes down on many balls side by side is told before sweeps have gone on for long") {
  constexpr int kSide = 8, kLayers = 6;
  FloorScene scene(rough(0.5));
  for (int i = 0; i < kSide * kSide * kLayers; ++i) {
    const Vector3d at(i % kSide, i / kSide % kSide, i / (kSide * kSide) + 0.5);
    add_solid(scene.system, Sphere{kRadius}, 2 * kRadius * at);
  }
  const BodyId lid = scene.system.add(std::make_unique<Obstacle>());
  scene.system.add_collider({.body = lid,
                             .shape = Plane{},
                             .position = {0, 0, 2 * kLayers * kRadius},
                             .orientation = Orientation(0, 1, 0, 0)});
  scene.system.add_drive(lid, [](double, double) { return ObstacleMotion{.velocity = {0, 0, -1}}; });
  TimeStepper stepper(scene.system, options());
  for (int step = 0; step < 3; ++step) {
    const StepReport report = stepper.step();
    CHECK(report.status == SolveStatus::failed);
    CHECK(report.warning.find("no reactions solve it") != std::string::npos);
    CHECK(report.iterations < 800);
    CHECK(report.factorisations == 0);
  }
}

TEST_CASE("what is heavy on what is light is not taken for pressed together") {
  for (const double ratio : {1e2, 1e4, 1e6}) {
    CAPTURE(ratio);
    FloorScene scene(rough(0.5));
    for (int i = 0; i < 12; ++i) {
      locdyn::add_solid(scene.system, Box{{0.3, 0.3, 0.2}}, Matter{.density = i % 2 == 0 ? 1e3 : 1e3 * ratio},
                        Pose{{0, 0, 0.1 + 0.2 * i}, Orientation::Identity()});
    }
    TimeStepper stepper(scene.system, options());
    for (int step = 0; step < 5; ++step) CHECK_FALSE(stepper.step().failed());
    const PressingSearch search = search_pressing(scene.system.graph(), {});
    CHECK_FALSE(search.nearly());
    const MassRange masses = masses_at_contacts(scene.system.graph());
    CHECK(masses.largest > 0.1 * ratio * masses.least);
    CHECK(masses.largest < 10 * ratio * masses.least);
  }
}

TEST_CASE("the search keeps the limits of the solve and tells what it took") {
  Column scene(20, 1);
  TimeStepper stepper(scene.system, options());
  CHECK(stepper.step().failed());
  const LocalDynamics& graph = scene.system.graph();
  const PressingSearch whole = search_pressing(graph, {});
  CHECK(whole.pressed());
  CHECK(whole.block_products > 250 * static_cast<double>(graph.row_count()) / 3);

  const PressingSearch half = search_pressing(graph, {.max_work = whole.work() / 2});
  CHECK_FALSE(half.pressed());
  CHECK(half.work() >= whole.work() / 2);
  CHECK(half.work() < 0.6 * whole.work());
  const std::atomic<bool> interrupt = true;
  CHECK(search_pressing(graph, {.interrupt = &interrupt}).block_products == 0);
  CHECK(search_pressing(graph, {.max_seconds = 1e-9}).block_products == 0);
}

TEST_CASE("a gripper that goes on closing on boxes that lean a little: no reactions are found, and soon") {
  FloorScene scene(rough(0.8));
  const double side = 0.3, height = 0.2, apart = 1e-4;
  for (int i = 0; i < 5; ++i) {
    const double lean = (i % 2 == 0 ? 1 : -1) * 1e-4;
    const Orientation turn(Eigen::AngleAxisd(lean, Vector3d::UnitY()));
    add_solid(scene.system, Box{{side, side, height}}, {0, 0, height / 2 + i * (height + apart)}, turn);
  }
  for (const double to : {-1.0, 1.0}) {
    const BodyId jaw = scene.system.add(std::make_unique<Obstacle>());
    scene.system.add_collider({.body = jaw, .shape = Box{{0.2, 0.4, 1.2}}, .position = {to * 0.25, 0, 0.6}});
    scene.system.add_drive(jaw, [to](double, double) { return ObstacleMotion{.velocity = {-0.1 * to, 0, 0}}; });
  }
  TimeStepper stepper(scene.system, options());
  StepReport report;
  for (int step = 0; step < 50 && !report.failed(); ++step) report = stepper.step();
  CHECK(report.status == SolveStatus::failed);
  CHECK(report.warning.find("no reactions") != std::string::npos);
  CHECK(report.iterations < 500);
  CHECK(search_pressing(scene.system.graph(), {}).nearly());
}

TEST_CASE("a lid that rests on balls, or goes up, or lets them turn away presses nothing together") {
  for (const double speed : {0.0, -1.0}) {
    CAPTURE(speed);
    Column scene(10, speed);
    TimeStepper stepper(scene.system, options());
    CHECK_FALSE(stepper.step().failed());
    CHECK_FALSE(search_pressing(scene.system.graph(), {}).pressed());
  }
  // A heavy ball on a light one needs a million times what the light one weighs.
  FloorScene pair;
  add_solid(pair.system, Sphere{kRadius}, {0, 0, kRadius});
  const MassProperties light = mass_properties(Sphere{kRadius}, 1000), heavy = mass_properties(Sphere{kRadius}, 1e9);
  CHECK(heavy.mass == doctest::Approx(1e6 * light.mass));
  const BodyId top = pair.system.add(std::make_unique<RigidBody>(heavy, Vector3d(0, 0, 3 * kRadius)));
  pair.system.add_collider({.body = top, .shape = Sphere{kRadius}});
  TimeStepper step_of_pair(pair.system, options());
  CHECK_FALSE(step_of_pair.step().failed());
  CHECK_FALSE(search_pressing(pair.system.graph(), {}).pressed());

  // A column that leans: the balls are squeezed out sideways, with reactions far above their weight.
  FloorScene scene;
  add_solid(scene.system, Sphere{kRadius}, {0, 0, kRadius});
  const double lean = 1e-3;
  add_solid(scene.system, Sphere{kRadius}, {2 * kRadius * std::sin(lean), 0, kRadius + 2 * kRadius * std::cos(lean)});
  const BodyId lid = scene.system.add(std::make_unique<Obstacle>());
  scene.system.add_collider({.body = lid,
                             .shape = Plane{},
                             .position = {0, 0, 2 * kRadius * (1 + std::cos(lean))},
                             .orientation = Orientation(0, 1, 0, 0)});
  scene.system.add_drive(lid, [](double, double) { return ObstacleMotion{.velocity = {0, 0, -0.1}}; });
  TimeStepper stepper(scene.system, options());
  CHECK_FALSE(stepper.step().failed());
  CHECK_FALSE(search_pressing(scene.system.graph(), {}).pressed());
}

TEST_CASE("a ball between two pins that part slowly: the step fails before all other solvers are tried, and says why") {
  FloorScene scene(rough(0.5));
  const Vector3d centre(0, 0, kRadius);
  const BodyId ball = add_solid(scene.system, Sphere{kRadius}, centre);
  const BodyId carriage = scene.system.add(std::make_unique<Obstacle>());
  scene.system.add_drive(carriage, [](double, double) { return ObstacleMotion{.velocity = {1e-5, 0, 0}}; });
  scene.system.add_constraint(std::make_unique<FixedPoint>(Anchor{.point = centre, .body = ball}));
  scene.system.add_constraint(std::make_unique<FixedPoint>(Anchor{centre, carriage}, Anchor{centre, ball}));
  TimeStepper stepper(scene.system, options());
  const StepReport report = stepper.step();
  CHECK(report.status == SolveStatus::failed);
  CHECK(report.warning.find("joints contradict each other") != std::string::npos);
  CHECK(report.residual < 0.01);
  CHECK(report.residual > 1e-4);
  CHECK(report.iterations < 5000);
}

TEST_CASE("there must be a solution where nothing drives the bodies, and nobody says so where something does") {
  const auto must_be_one = [](System& system) {
    TimeStepper stepper(system, options());
    (void)stepper.step();
    const LocalDynamics& graph = system.graph();
    REQUIRE(graph.constraint_count() > 0);
    NewtonPrice price(graph, 1e-6, false);
    return Prospect(graph, 1e-6, price).must_be_one();
  };
  for (const int balls : {1, 20}) {
    CAPTURE(balls);
    FloorScene still(rough(0.5));
    for (int i = 0; i < balls; ++i) add_solid(still.system, Sphere{kRadius}, {0, 0, (2 * i + 1) * kRadius});
    CHECK(must_be_one(still.system));
    Column pressed(balls, 1), slowly(balls, 1e-5);
    CHECK_FALSE(must_be_one(pressed.system));
    CHECK_FALSE(must_be_one(slowly.system));
  }
}
