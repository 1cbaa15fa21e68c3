// Joints, motors and limits in a System moved by TimeStepper: time, projection and saved states.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/simulation/stepping/joint_closing.hpp>
#include <locdyn/simulation/time_stepper.hpp>

using namespace locdyn;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

const Vector3d kX = Vector3d::UnitX(), kY = Vector3d::UnitY(), kZero = Vector3d::Zero();

// A bar of length 2 along x, hinged about y at the origin. The angle grows as it falls.
struct Pendulum {
  System system;
  BodyId bar = system.emplace<RigidBody>(box_mass(1000, {2, 0.02, 0.04}), kX);
  ConstraintId hinge = system.add_constraint(std::make_unique<Hinge>(Axis{kZero, kY}, Axis{kZero, kY, bar}));

  [[nodiscard]] Coordinate angle() const { return axis_angle({kZero, kY}, {kZero, kY, bar}); }
  [[nodiscard]] double angle_now() {
    const Vector3d x = system.bodies()[bar].to_space(kZero);
    return std::atan2(-x.z(), x.x());
  }
  [[nodiscard]] double hinge_error() {
    std::array<Vector3d, 2> error;
    system.assembly().constraint(hinge).position_error(system.bodies(), error);
    return std::max(error[0].norm(), error[1].norm());
  }
};

TimeStepperOptions options_of(double step, const char* solver = "auto") {
  TimeStepperOptions options;
  options.step = step;
  options.solver = solver;
  options.stop.tolerance = 1e-10;
  return options;
}

TimeFunction swing() {
  return {[](double t) { return 0.5 * (1 - std::cos(2 * t)); }, [](double t) { return std::sin(2 * t); },
          [](double t) { return 2 * std::cos(2 * t); }};
}

}  // namespace

TEST_CASE("a hinge holds a falling bar to rounding") {
  Pendulum pendulum;
  TimeStepper stepper(pendulum.system, options_of(1e-3));
  for (int i = 0; i < 500; ++i) {
    const StepReport report = stepper.step();
    REQUIRE(report.status == SolveStatus::converged);
    REQUIRE(pendulum.hinge_error() <= 1e-14);
    REQUIRE(report.joint_error <= 1e-14);
  }
  CHECK(pendulum.angle_now() > 0.5);
  CHECK(pendulum.system.bodies().time() == stepper.time());
}

// Half a unit in the last place of 1000 m is 6e-14 m: no displacement takes that back, and none is tried.
TEST_CASE("a joint far from the origin is closed where it is open, not where coordinates are rounded") {
  for (const double x : {1.0, 1000.0}) {
    CAPTURE(x);
    System system;
    const Vector3d place(x, 0, 0);
    const BodyId bar = system.emplace<RigidBody>(box_mass(1000, {2, 0.02, 0.04}), place);
    system.add_constraint(std::make_unique<Hinge>(Axis{place, kY}, Axis{place, kY, bar}));
    TimeStepper stepper(system, options_of(1e-3));
    (void)stepper.step();

    detail::JointClosing closing;
    const auto closed_after = [&](double shift) {
      Eigen::VectorXd q = system.bodies()[bar].configuration();
      q[0] = x + shift;
      system.bodies()[bar].set_configuration(q);
      const double error = closing.close(system).error;
      const bool left_alone = system.bodies()[bar].configuration() == q;
      return std::pair(error, left_alone);
    };
    const double ulp = x * std::numeric_limits<double>::epsilon();
    const auto [rounded, alone] = closed_after(ulp);
    CHECK(alone);
    CHECK(rounded <= 2 * ulp);
    const auto [open, kept] = closed_after(1e-9);
    CHECK_FALSE(kept);
    CHECK(open <= std::max(1e-14, ulp));
  }
}

TEST_CASE("a motor drives a bar from rest, at the time that the step has") {
  Pendulum pendulum;
  pendulum.system.add_constraint(std::make_unique<Prescribed>(pendulum.angle(), swing()));
  TimeStepperOptions options = options_of(1e-3);
  options.slop = 1e-9;
  TimeStepper stepper(pendulum.system, options);
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(stepper.step().status == SolveStatus::converged);
    REQUIRE(pendulum.angle_now() == doctest::Approx(swing().value(stepper.time())).epsilon(1e-5));
    REQUIRE(pendulum.system.bodies()[pendulum.bar].velocity()[1] ==
            doctest::Approx(swing().first(stepper.time())).epsilon(1e-6));
  }

  // From rest without anything that moves: time alone starts it.
  System still;
  still.gravity = kZero;
  const BodyId wheel = still.emplace<PlanarBody>(1.0, 0.1, Eigen::Vector2d(0, 0));
  still.add_constraint(std::make_unique<PlanarRevolute>(Anchor{kZero}, Anchor{kZero, wheel}));
  still.add_constraint(std::make_unique<VelocityMotor>(
      planar_angle(wheel), [](double t) { return t < 0.01 ? 0.0 : 1.0; }, [](double) { return 0.0; }));
  TimeStepper later(still, options_of(1e-3));
  for (int i = 0; i < 20; ++i) later.step();
  CHECK(still.bodies()[wheel].velocity()[2] == doctest::Approx(1).epsilon(1e-9));
}

TEST_CASE("a bar falls onto the limit of its hinge and stays, with every solver") {
  for (const char* solver : {"auto", "nsgs", "newton"}) {
    CAPTURE(solver);
    Pendulum pendulum;
    const ConstraintId stop =
        pendulum.system.add_constraint(std::make_unique<Limit>(pendulum.angle(), Side::upper, 0.3));
    const ConstraintId other =
        pendulum.system.add_constraint(std::make_unique<Limit>(pendulum.angle(), Side::lower, -0.3));
    TimeStepper stepper(pendulum.system, options_of(1e-3, solver));
    for (int i = 0; i < 600; ++i) {
      REQUIRE(stepper.step().status == SolveStatus::converged);
      REQUIRE(pendulum.angle_now() <= 0.3 + 1e-4);
    }
    CHECK(pendulum.angle_now() == doctest::Approx(0.3).epsilon(1e-4));
    // ‖b‖ is 3.5 m/s, the way to the other limit in a step: 1e-8 of it is left.
    CHECK(std::abs(pendulum.system.bodies()[pendulum.bar].velocity()[1]) <= 1e-8);
    // The moment that carries it: m g l/2 cos(angle), R = M/ℓ.
    const auto& limit = dynamic_cast<const Limit&>(pendulum.system.assembly().constraint(stop));
    const double mass = pendulum.system.bodies()[pendulum.bar].mass();
    CHECK(pendulum.system.graph().row(stop).R[2] * limit.length() ==
          doctest::Approx(mass * 9.81 * std::cos(0.3)).epsilon(1e-4));
    CHECK(pendulum.system.graph().row(other).R.norm() == 0);
  }
}

TEST_CASE("a run goes on from its saved state, turns of gears included") {
  struct Gears {
    System system;
    BodyId a = system.emplace<RigidBody>(box_mass(1000, {0.2, 0.2, 0.05}), kZero);
    BodyId b = system.emplace<RigidBody>(box_mass(1000, {0.3, 0.3, 0.05}), kX);
    Gears() {
      system.gravity = kZero;
      system.add_constraint(std::make_unique<Hinge>(Axis{}, Axis{.body = a}));
      system.add_constraint(std::make_unique<Hinge>(Axis{.point = kX}, Axis{.point = kX, .body = b}));
      system.add_constraint(std::make_unique<Gear>(axis_angle({}, {.body = a}),
                                                   axis_angle({.point = kX}, {.point = kX, .body = b}), -1.3));
      system.add_load([this](double, double, BodySet& bodies) { bodies[a].add_torque({0, 0, 10}); });
    }
  };
  Gears first;
  TimeStepper stepper(first.system, options_of(2e-3));
  for (int i = 0; i < 1500; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
  const auto turned = first.system.assembly().constraint(first.system.constraints()[2]).memory();
  CHECK(turned[0] > 10 * 2 * pi);
  CHECK(turned[0] == doctest::Approx(-1.3 * turned[1]).epsilon(1e-6));

  Gears second;
  TimeStepper other(second.system, options_of(2e-3));
  other.restore(stepper.state());
  CHECK(second.system.bodies().time() == stepper.time());
  for (int i = 0; i < 50; ++i) {
    stepper.step();
    other.step();
    for (BodyId id : {first.a, first.b}) {
      REQUIRE(first.system.bodies()[id].configuration() == second.system.bodies()[id].configuration());
      REQUIRE(first.system.bodies()[id].velocity() == second.system.bodies()[id].velocity());
    }
  }
}
