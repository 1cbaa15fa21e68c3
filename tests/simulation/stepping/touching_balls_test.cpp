// Pyramids of balls that touch come down on the floor all at once: hundreds of contacts that may bear or not, stick or
// slide, around whose solutions Newton runs where its centre moves.

#include <cmath>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/stage_sequence.hpp>
#include <locdyn/solver/step/damped_sweeps.hpp>
#include <locdyn/solver/step/iterate.hpp>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

// Layers of k × k balls, the lowest a millimetre above the floor.
struct Pyramid : FloorScene {
  Pyramid(int layers, double friction) : FloorScene(rough(friction)) {
    constexpr double kBall = 0.25, kAbove = 1e-3;
    for (int layer = 0; layer < layers; ++layer) {
      const int side = layers - layer;
      for (int i = 0; i < side * side; ++i) {
        const double x = i / side - 0.5 * (side - 1), y = i % side - 0.5 * (side - 1);
        add_solid(system, Sphere{kBall}, {2 * kBall * x, 2 * kBall * y, kAbove + kBall * (1 + layer * std::sqrt(2.0))});
      }
    }
  }
};

constexpr int kStepOfImpact = 3;

TimeStepperOptions at_a_thousandth() {
  TimeStepperOptions options;
  options.step = 1.0 / 240;
  options.stop.tolerance = 1e-3;
  return options;
}

// The step in which they meet the floor, swept once.
struct Impact : Pyramid {
  Impact(int layers, double friction) : Pyramid(layers, friction), stepper(system, swept_once()) {
    for (int step = 0; step < kStepOfImpact; ++step) (void)stepper.step();
  }
  // R = 0, and U as it is then.
  LocalDynamics& unsolved() {
    for (DiagonalBlock& row : system.graph().rows()) row.R.setZero();
    (void)evaluate_residual(system.graph());
    return system.graph();
  }

  TimeStepper stepper;

 private:
  static TimeStepperOptions swept_once() {
    TimeStepperOptions options = at_a_thousandth();
    options.sweep_budget = 1;
    return options;
  }
};

}  // namespace

TEST_CASE("touching balls: the weight that falls about R = 0 leads Newton where the centre that moves does not") {
  Impact impact(8, 0.5);
  REQUIRE(impact.unsolved().constraint_count() == 960);
  const auto newton = [&impact](bool anchored) {
    return solve_newton(impact.unsolved(),
                        {.stop = {.tolerance = 1e-3}, .first_sweeps = 0, .patience = 200, .anchored = anchored});
  };
  const SolveReport moving = newton(false);
  CHECK(moving.status == SolveStatus::stalled);
  CHECK(moving.residual.scaled > 1e-3);
  const SolveReport anchored = newton(true);
  CHECK(anchored.status == SolveStatus::converged);
  CHECK(evaluate_residual(impact.system.graph()).scaled <= 1e-3);
  MESSAGE("Newton steps: ", moving.iterations, " to ", moving.residual.scaled, ", anchored ", anchored.iterations);
}

TEST_CASE("touching balls: sweeps that go part of their way end what whole ones run round") {
  Impact impact(7, 0.5);
  const auto swept = [&impact](double relaxation) {
    return solve_nsgs(
        impact.unsolved(),
        {.stop = {.tolerance = 1e-3, .max_iterations = 2000}, .relaxation = relaxation, .momentum = true});
  };
  REQUIRE(impact.unsolved().constraint_count() == 637);
  const SolveReport whole = swept(1);
  CHECK(whole.residual.scaled > 1e-3);
  const SolveReport damped = swept(0.3);
  CHECK(damped.status == SolveStatus::converged);
  CHECK(evaluate_residual(impact.system.graph()).scaled <= 1e-3);
  MESSAGE("sweeps: ", whole.iterations, " to ", whole.residual.scaled, ", damped ", damped.iterations);
}

TEST_CASE("touching balls: damped sweeps leave the better of what they find and what there was") {
  Impact impact(7, 0.5);
  LocalDynamics& ldy = impact.unsolved();
  const StopOptions stop{.tolerance = 1e-9};
  GaussSeidel sweeps(ldy, {.stop = stop, .momentum = true});
  detail::StageSequence sequence(stop);
  sequence.add(sweeps.solve(sequence.left(300), 1));
  const double before = sequence.total().own_residual;
  const detail::Iterate kept = detail::iterate_of(ldy);
  detail::take_damped_sweeps(ldy, sweeps, 25, sequence);
  CHECK(sequence.total().own_residual == doctest::Approx(before));
  CHECK(detail::iterate_of(ldy).R == kept.R);
  detail::take_damped_sweeps(ldy, sweeps, 1000, sequence);
  CHECK(sequence.total().own_residual < before);
  CHECK(evaluate_residual(ldy).scaled == doctest::Approx(sequence.total().own_residual));
}

TEST_CASE("touching balls: the impact of 140 of them is solved without long walks of Newton") {
  struct Run {
    double tolerance;
    int steps;
    long most;  // factorisations
  };
  for (const Run& each : {Run{1e-3, 9, 300}, Run{1e-6, kStepOfImpact + 1, 3000}}) {
    CAPTURE(each.tolerance);
    Pyramid scene(7, 0.5);
    TimeStepperOptions options = at_a_thousandth();
    options.stop.tolerance = each.tolerance;
    TimeStepper stepper(scene.system, options);
    long factorisations = 0;
    for (int step = 0; step < each.steps; ++step) {
      const StepReport report = stepper.step();
      CHECK_FALSE(report.failed());
      factorisations += report.factorisations;
    }
    MESSAGE("factorisations: ", factorisations);
    CHECK(factorisations > 0);
    CHECK(factorisations < each.most);
  }
}

TEST_CASE("touching balls: the impact of 204 of them is solved, and soon") {
  Pyramid scene(8, 0.5);
  TimeStepper stepper(scene.system, at_a_thousandth());
  long factorisations = 0;
  for (int step = 0; step < kStepOfImpact; ++step) {
    const StepReport report = stepper.step();
    CHECK_FALSE(report.failed());
    CHECK(report.residual <= 1e-3);
    factorisations += report.factorisations;
  }
  MESSAGE("factorisations: ", factorisations);
  CHECK(factorisations > 0);
  CHECK(factorisations < 3000);
}
