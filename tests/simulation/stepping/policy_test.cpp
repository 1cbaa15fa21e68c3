// Steps that do not converge, options out of range, loads and drives.

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A box on the floor: with no iteration allowed its reactions stay zero.
struct LyingBox : FloorScene {
  BodyId box;
  LyingBox() : FloorScene(rough(0.5)), box(add_solid(system, Box{{1, 1, 1}}, {0, 0, 0.5})) {}
};

TimeStepperOptions options_of(OnFailure policy, long max_iterations) {
  TimeStepperOptions options;
  options.stop.max_iterations = max_iterations;
  options.on_failure = policy;
  return options;
}

}  // namespace

TEST_CASE("go_on takes the step with the best reactions and says so") {
  LyingBox scene;
  TimeStepper stepper(scene.system, options_of(OnFailure::go_on, 0));
  const StepReport report = stepper.step();
  CHECK(report.status == SolveStatus::max_iterations);
  CHECK(report.residual > 1e-6);
  CHECK(report.parts == 1);
  CHECK(report.step == 1);
  CHECK(stepper.steps() == 1);
  CAPTURE(report.warning);
  CHECK(holds(report.warning, "step 1"));
  CHECK(holds(report.warning, "1.0e-08"));
  CHECK(holds(report.warning, "1 of 1 islands"));
  CHECK(!holds(report.warning, "\n"));
}

TEST_CASE("a step that converges has no warning") {
  LyingBox scene;
  TimeStepper stepper(scene.system, options_of(OnFailure::stop, 10'000));
  const StepReport report = stepper.step();
  CHECK(report.status == SolveStatus::converged);
  CHECK(report.warning.empty());
}

TEST_CASE("by default a step may sweep tens of thousands of times, where it must") {
  // Ten light balls under one of 10⁴ times their density.
  FloorScene scene(rough(0.5));
  for (int i = 0; i < 10; ++i) add_solid(scene.system, Sphere{0.05}, {0, 0, 0.05 + 0.1 * i});
  const Sphere heavy{0.05};
  const BodyId top = scene.system.add(
      std::make_unique<RigidBody>(mass_properties(heavy, 1e7), Vector3d(0, 0, 1.05), Orientation::Identity()));
  scene.system.add_collider({.body = top, .shape = heavy});
  TimeStepperOptions options;
  options.solver = "nsgs";
  TimeStepper stepper(scene.system, options);
  const StepReport report = stepper.step();
  CHECK(report.status == SolveStatus::converged);
  CHECK(report.iterations > 20'000);
}

TEST_CASE("an interrupt ends the solve of a step, which is reported and comes to its end") {
  FloorScene scene(rough(0.5));
  for (int i = 0; i < 6; ++i) add_solid(scene.system, Box{{1, 1, 1}}, {0.03 * i, 0, 0.5 + i});
  const std::atomic<bool> asked = true;
  TimeStepperOptions options;
  options.stop.interrupt = &asked;
  TimeStepper stepper(scene.system, options);
  const StepReport report = stepper.step();
  CHECK(report.status == SolveStatus::max_time);
  CHECK(report.failed());
  CHECK(holds(report.warning, "step 1"));
  CHECK(stepper.steps() == 1);
  CHECK(stepper.time() == options.step);
}

TEST_CASE("a step that its budget of sweeps ends is no failure, and tells the residual reached") {
  FloorScene scene(rough(0.5));
  for (int i = 0; i < 6; ++i) add_solid(scene.system, Box{{1, 1, 1}}, {0.03 * i, 0, 0.5 + i});
  TimeStepperOptions options = options_of(OnFailure::stop, 10'000);
  options.sweep_budget = 3;
  TimeStepper stepper(scene.system, options);
  const StepReport report = stepper.step();  // a failure would be thrown
  CHECK(report.status == SolveStatus::max_iterations);
  CHECK(report.within_budget);
  CHECK(!report.failed());
  CHECK(report.warning.empty());
  CHECK(report.iterations == 3);
  CHECK(report.factorisations == 0);
  CHECK(report.residual > options.stop.tolerance);

  // What is solved within it says so.
  options.sweep_budget = 10'000;
  FloorScene again(rough(0.5));
  for (int i = 0; i < 6; ++i) add_solid(again.system, Box{{1, 1, 1}}, {0.03 * i, 0, 0.5 + i});
  TimeStepper long_stepper(again.system, options);
  const StepReport solved = long_stepper.step();
  CHECK(solved.status == SolveStatus::converged);
  CHECK(!solved.within_budget);
  CHECK(solved.residual <= options.stop.tolerance);
}

TEST_CASE("a velocity tolerance ends a step where the residual, as a velocity, is below it") {
  const auto first_step = [](double tolerance, double velocity) {
    FloorScene scene(rough(0.5));
    for (int i = 0; i < 6; ++i) add_solid(scene.system, Box{{1, 1, 1}}, {0.03 * i, 0, 0.5 + i});
    TimeStepper stepper(scene.system, {.stop = {.tolerance = tolerance}, .velocity_tolerance = velocity});
    return stepper.step();
  };
  const StepReport tight = first_step(1e-10, 0), loose = first_step(1e-10, 1e-3);
  CHECK(tight.residual <= 1e-10);
  CHECK(loose.status == SolveStatus::converged);
  CHECK(loose.residual > 1e-10);
  CHECK(loose.factorisations <= tight.factorisations);
  CHECK(loose.block_products + loose.factorisation_flops / 18 < tight.block_products + tight.factorisation_flops / 18);
  // b is g h of 24 contacts and less: 1e-3 m/s is more than 1e-3/(√24 g h) of it.
  CHECK(loose.residual <= 1e-3 / (9.81 * 1e-3));
}

TEST_CASE("stop throws what happened and leaves the state as it was, bit for bit") {
  for (const long limit : {0L, 1L}) {
    CAPTURE(limit);
    // As the pile is about to need more than that.
    PileScene scene;
    TimeStepperOptions free;
    free.step = 2e-3;
    TimeStepper first(scene.system, free);
    for (int i = 0; i < 60; ++i) (void)first.step();
    const StepperState before = first.state();

    PileScene again;
    TimeStepperOptions bound = free;
    bound.stop.max_iterations = limit;
    bound.on_failure = OnFailure::stop;
    TimeStepper stepper(again.system, bound);
    stepper.restore(before);
    for (int attempt = 0; attempt < 2; ++attempt) {
      try {
        (void)stepper.step();
        FAIL("expected a StepFailure");
      } catch (const StepFailure& failure) {
        CHECK(failure.report().status != SolveStatus::converged);
        CHECK(std::string(failure.what()) == failure.report().warning);
        CHECK(holds(failure.what(), "step 61"));
      }
      check_same(stepper.state(), before);
    }
    CHECK(stepper.steps() == 60);
  }
}

TEST_CASE("a run that stopped goes on as if it had not tried") {
  PileScene one, two;
  TimeStepperOptions options;
  options.step = 2e-3;
  options.stop.max_iterations = 2;  // enough for some steps only
  options.on_failure = OnFailure::stop;
  TimeStepper bound(one.system, options);
  int done = 0;
  try {
    for (; done < 200; ++done) (void)bound.step();
  } catch (const StepFailure&) {
  }
  REQUIRE(done > 0);
  REQUIRE(done < 200);
  options.stop.max_iterations = 10'000;
  TimeStepper straight(two.system, options);
  for (int i = 0; i < done; ++i) (void)straight.step();
  check_same(bound.state(), straight.state());
}

TEST_CASE("halve tries 2, 4, 8 parts and then goes on, never silently") {
  LyingBox scene;
  const double h = 1e-3;
  TimeStepper stepper(scene.system, options_of(OnFailure::halve, 0));
  for (int step = 1; step <= 2; ++step) {
    const StepReport report = stepper.step();
    CHECK(report.parts == 8);
    CHECK(report.status == SolveStatus::max_iterations);
    CHECK(report.step == step);
    CHECK(stepper.steps() == step);
    CHECK(stepper.time() == doctest::Approx(step * h).epsilon(1e-12));
    CHECK(report.time == stepper.time());
    CAPTURE(report.warning);
    CHECK(holds(report.warning, "8 parts"));
    CHECK(holds(report.warning, "step " + std::to_string(step)));
  }
}

TEST_CASE("halve ends with the first number of parts that helps, and its warning tells of it") {
  for (const int helps : {2, 4, 8}) {
    CAPTURE(helps);
    LyingBox scene;
    scene.system.gravity.setZero();
    // A push that comes only in steps that are too long: with no iteration allowed they fail.
    scene.system.add_load([&, helps](double, double h, BodySet& bodies) {
      if (h > 1.5e-3 / helps) bodies[scene.box].add_force({0, 0, -1e4}, {0, 0, 0.5});
    });
    TimeStepper stepper(scene.system, options_of(OnFailure::halve, 0));
    const StepReport report = stepper.step();
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.parts == helps);
    CHECK(report.step == 1);
    CHECK(holds(report.warning, std::to_string(helps) + " parts"));
    // Nothing of the failed attempts is left.
    CHECK(scene.system.bodies()[scene.box].velocity().norm() == 0);
    CHECK(scene.system.bodies()[scene.box].configuration()[2] == 0.5);
    CHECK(stepper.time() == doctest::Approx(1e-3).epsilon(1e-12));
  }
}

TEST_CASE("after a step in parts a run goes on from its saved state bit for bit") {
  const auto set_up = [](LyingBox& scene) {
    scene.system.add_load([&scene](double t, double h, BodySet& bodies) {
      if (t > 4.5e-3 && t < 5.5e-3 && h > 0.7e-3) bodies[scene.box].add_force({0, 0, -1e6}, {0, 0, 0.5});
    });
    Eigen::VectorXd q = scene.system.bodies()[scene.box].configuration();
    q[2] -= 1e-3;
    scene.system.bodies()[scene.box].set_configuration(q);
  };
  TimeStepperOptions options = options_of(OnFailure::halve, 10'000);
  options.correction = Correction::baumgarte;
  options.baumgarte_alpha = 0;  // the box stays where it is, its contacts stay as they are
  LyingBox one, two;
  set_up(one);
  set_up(two);
  TimeStepper whole(one.system, options), part(two.system, options);
  StepperState saved;
  for (int i = 0; i < 8; ++i) {
    (void)whole.step();
    if (i == 5) saved = whole.state();
  }
  part.restore(saved);
  for (int i = 6; i < 8; ++i) (void)part.step();
  check_same(part.state(), whole.state());
}

TEST_CASE("options out of range are refused by name") {
  const auto refused = [](const char* field, const std::function<void(TimeStepperOptions&)>& spoil) {
    CAPTURE(field);
    TimeStepperOptions options;
    spoil(options);
    System system;
    std::string message;
    try {
      TimeStepper stepper(system, options);
    } catch (const std::invalid_argument& fault) {
      message = fault.what();
    }
    CAPTURE(message);
    CHECK(message.find(field) != std::string::npos);
    CHECK(message.find("found") != std::string::npos);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1e-3, nan, inf}) {
    refused("step", [=](auto& o) { o.step = bad; });
    refused("tolerance", [=](auto& o) { o.stop.tolerance = bad; });
  }
  for (const double bad : {-1e-9, nan, inf}) {
    refused("slop", [=](auto& o) { o.slop = bad; });
    refused("baumgarte_alpha", [=](auto& o) { o.baumgarte_alpha = bad; });
    refused("baumgarte_beta", [=](auto& o) { o.baumgarte_beta = bad; });
    refused("velocity_tolerance", [=](auto& o) { o.velocity_tolerance = bad; });
  }
  refused("baumgarte_alpha", [](auto& o) { o.baumgarte_alpha = 1.01; });
  refused("threads", [](auto& o) { o.stop.threads = 0; });
  refused("max_iterations", [](auto& o) { o.stop.max_iterations = -1; });
  refused("max_seconds", [](auto& o) { o.stop.max_seconds = 1; });
  refused("measure", [](auto& o) { o.stop.measure = Measure::absolute; });
  refused("sweep_budget", [](auto& o) { o.sweep_budget = -1; });
  refused("sweep_budget", [](auto& o) {
    o.sweep_budget = 10;
    o.solver = "pyramid-pgs";
  });
  refused("least_norm", [](auto& o) {
    o.least_norm = true;
    o.sweep_budget = 10;
  });
  refused("least_norm", [](auto& o) {
    o.least_norm = true;
    o.solver = "pyramid-pgs";
  });
  refused("solver", [](auto& o) { o.solver = "nobody"; });
}
