// Dry friction in joints against closed forms: where it holds, what it takes, and where a pendulum stops.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <stdexcept>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/driven/servo.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/point_joints.hpp>
#include <locdyn/simulation/time_stepper.hpp>

using namespace locdyn;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

constexpr double kFrictionGravity = 9.81;
const Vector3d kOrigin = Vector3d::Zero();

TimeStepperOptions exact(double step, const char* solver = "auto") {
  TimeStepperOptions options;
  options.step = step;
  options.solver = solver;
  options.stop.tolerance = 1e-13;
  return options;
}

// 2 kg, and 0.5 kg m² about x, y and z.
MassProperties two_kilograms() {
  MassProperties mass;
  mass.mass = 2;
  mass.inertia = 0.5 * Eigen::Matrix3d::Identity();
  return mass;
}

// Work of a constraint's reaction in the last step, h R·(U + V)/2: what it adds to the kinetic energy exactly.
double work_of(const System& system, ConstraintId id, double h) {
  double work = 0;
  for (int k = 0; k < block_count(system.graph().law(id)); ++k) {
    const DiagonalBlock& row = system.graph().row(id, k);
    work += h * row.R.dot(row.U + system.assembly().velocity_before(id, k)) / 2;
  }
  return work;
}

// A body on one joint about, or along, z.
template <class Kind>
struct OnAxis {
  System system;
  BodyId body = system.emplace<RigidBody>(two_kilograms(), kOrigin);
  ConstraintId joint;

  explicit OnAxis(const std::optional<JointFriction>& friction, const Vector3d& axis = Vector3d::UnitZ())
      : joint(system.add_constraint(std::make_unique<Kind>(Axis{kOrigin, axis}, Axis{kOrigin, axis, body}, friction))) {
  }
  void start(const Vector3d& spin, const Vector3d& velocity) {
    Eigen::VectorXd u(6);
    u << spin, velocity;
    system.bodies()[body].set_velocity(u);
  }
  [[nodiscard]] Vector3d spin() const { return system.bodies()[body].velocity().head<3>(); }
  [[nodiscard]] Vector3d velocity() const { return system.bodies()[body].velocity().tail<3>(); }
};

// A bar of length 2 on a hinge about y at its end; φ from where it hangs, by the right hand about −y.
struct RubbedPendulum {
  System system;
  MassProperties mass = box_mass(1000, {0.04, 0.02, 2});
  BodyId bar;
  ConstraintId hinge;
  double weight_moment = mass.mass * kFrictionGravity;  // m g l, l = 1

  RubbedPendulum(double start, const JointFriction& friction)
      : bar(system.emplace<RigidBody>(mass, Vector3d(std::sin(start), 0, -std::cos(start)),
                                      Orientation(Eigen::AngleAxisd(-start, Vector3d::UnitY())))),
        hinge(system.add_constraint(std::make_unique<Hinge>(Axis{kOrigin, Vector3d::UnitY()},
                                                            Axis{kOrigin, Vector3d::UnitY(), bar}, friction))) {}
  [[nodiscard]] double angle() const {
    const Vector3d x = system.bodies()[bar].to_space(kOrigin);
    return std::atan2(x.x(), -x.z());
  }
  [[nodiscard]] double speed() const { return system.bodies()[bar].velocity().norm(); }
};

// From rest at `angle`: the next turning point loses `moment` (|φ| + |φ'|) of m g l (cos φ' − cos φ); until it holds.
double rest_of(double angle, double moment, double weight_moment) {
  while (weight_moment * std::abs(std::sin(angle)) > moment) {
    double low = 0, high = std::abs(angle);  // of the next one, on the other side
    const auto left = [&](double next) {
      return weight_moment * (std::cos(next) - std::cos(angle)) - moment * (std::abs(angle) + next);
    };
    if (left(0) < 0) {  // not past the lowest point: it stops on this side, below the angle at which it could
      double from = 0, to = std::asin(moment / weight_moment);
      for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (from + to);
        const double here = weight_moment * (std::cos(middle) - std::cos(angle)) - moment * (std::abs(angle) - middle);
        (here < 0 ? from : to) = middle;
      }
      return std::copysign(from, angle);
    }
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (low + high);
      (left(middle) > 0 ? low : high) = middle;
    }
    angle = -std::copysign(low, angle);
  }
  return angle;
}

}  // namespace

TEST_CASE("joint friction: the angle at which a pendulum stops, and there it stays") {
  // A planar body pinned at its mass centre that a load turns back as m g l sin φ does: nothing but friction and this.
  constexpr double kInertia = 0.8, kTurn = 12;     // J [kg m²], m g l [N m]
  for (const double share : {0.05, 0.13, 0.31}) {  // of m g l
    CAPTURE(share);
    const double moment = share * kTurn, expected = rest_of(1.2, moment, kTurn);
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
      System system;
      system.gravity.setZero();
      const BodyId bob = system.emplace<PlanarBody>(1.0, kInertia, Eigen::Vector2d(0, 0), 1.2);
      system.add_constraint(
          std::make_unique<PlanarRevolute>(Anchor{kOrigin}, Anchor{kOrigin, bob}, JointFriction{.limit = moment}));
      system.add_load([=](double, double, BodySet& bodies) {
        bodies[bob].add_torque({0, 0, -kTurn * std::sin(bodies[bob].configuration()[2])});
      });
      TimeStepper stepper(system, exact(fine == 1 ? 1e-3 : 2e-3));
      while (stepper.time() < 12) stepper.step();
      const double stopped = system.bodies()[bob].configuration()[2];
      error[fine] = std::abs(stopped - expected);
      CHECK(std::abs(system.bodies()[bob].velocity()[2]) < 1e-13);
      for (int i = 0; i < 500; ++i) stepper.step();
      CHECK(std::abs(system.bodies()[bob].configuration()[2] - stopped) < 1e-13);
    }
    MESSAGE("stops at ", expected, " rad; off by ", error[0], " (h = 2 ms) and ", error[1], " (h = 1 ms)");
    CHECK(error[1] < 3e-5);
  }
  // A bar on a hinge, whose swings are of first order in h without friction, too.
  RubbedPendulum pendulum(1.2, {.limit = 0.31 * RubbedPendulum(0, {.limit = 1}).weight_moment});
  TimeStepper stepper(pendulum.system, exact(1e-3));
  while (stepper.time() < 4) stepper.step();
  CHECK(pendulum.speed() < 1e-13);
  CHECK(pendulum.angle() == doctest::Approx(rest_of(1.2, 0.31, 1)).epsilon(1e-2));
}

TEST_CASE("joint friction: a pendulum on its own weight holds up to sin φ = μ r/l, to 1e-9") {
  const JointFriction friction{.coefficient = 0.4, .radius = 0.05};
  const double hold = std::asin(friction.coefficient * friction.radius);
  for (const char* solver : {"auto", "nsgs", "newton"}) {
    CAPTURE(solver);
    for (const double share : {-1e-9, 1e-9}) {
      RubbedPendulum pendulum(hold * (1 + share), friction);
      TimeStepper stepper(pendulum.system, exact(1e-3, solver));
      for (int i = 0; i < 20; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
      // What is left of the moment is 1e-9 of m g l sin φ, over m l² 4/3: 1.5e-10 rad/s² for 20 ms.
      const double gained = 1e-9 * kFrictionGravity * std::sin(hold) * 0.75 * stepper.time();
      share < 0 ? CHECK(pendulum.speed() < 0.02 * gained) : CHECK(pendulum.speed() > 0.9 * gained);
    }
  }
}

TEST_CASE("motor against friction: it turns at a moment 1e-9 above the limit and not at one 1e-9 below") {
  for (const char* solver : {"auto", "nsgs", "newton", "condensed"}) {
    for (const double share : {-1e-9, 1e-9}) {
      CAPTURE(solver);
      CAPTURE(share);
      OnAxis<Hinge> wheel({});
      wheel.system.gravity.setZero();
      const Coordinate angle = axis_angle({}, {.body = wheel.body});
      wheel.system.add_constraint(std::make_unique<DryFriction>(angle, 3.0));
      const double moment = 3 * (1 + share);
      wheel.system.add_constraint(
          std::make_unique<VelocityMotor>(angle, 1.0, ForceRange{.lower = -moment, .upper = moment}));
      TimeStepper stepper(wheel.system, exact(0.01, solver));
      for (int i = 0; i < 50; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
      const double gained = 3e-9 / 0.5 * stepper.time();
      share < 0 ? CHECK(std::abs(wheel.spin().z()) < 1e-4 * gained)
                : CHECK(wheel.spin().z() == doctest::Approx(gained).epsilon(1e-4));
    }
  }
}

TEST_CASE("joint friction: the energy lost is its work, and the motion the closed form") {
  const double h = 1e-3;
  SUBCASE("a hinge of limited friction: ω = ω₀ − M₀ t/I until it stops") {
    OnAxis<Hinge> wheel(JointFriction{.limit = 0.7});
    wheel.system.gravity.setZero();
    wheel.start({0, 0, 2}, kOrigin);
    TimeStepper stepper(wheel.system, exact(h));
    double work = 0;
    for (int i = 1; i <= 2000; ++i) {
      const StepReport report = stepper.step();
      work += work_of(wheel.system, wheel.joint, h);
      REQUIRE(wheel.spin().z() == doctest::Approx(std::max(0.0, 2 - 0.7 / 0.5 * h * i)).epsilon(1e-12));
      REQUIRE(std::abs(1 - report.kinetic_energy + work) < 1e-9);
    }
    CHECK(std::abs(wheel.spin().z()) < 1e-13);
    CHECK(work == doctest::Approx(-1).epsilon(1e-12));
  }
  SUBCASE("a slider across gravity: v = v₀ − (μ + F₀/m g) g t") {
    OnAxis<Prismatic> slider(JointFriction{.limit = 3, .coefficient = 0.2}, Vector3d::UnitX());
    slider.start(kOrigin, {1.5, 0, 0});
    TimeStepper stepper(slider.system, exact(h));
    double work = 0;
    for (int i = 1; i <= 1000; ++i) {
      const StepReport report = stepper.step();
      work += work_of(slider.system, slider.joint, h);
      REQUIRE(slider.velocity().x() ==
              doctest::Approx(std::max(0.0, 1.5 - (0.2 * kFrictionGravity + 3.0 / 2) * h * i)).epsilon(1e-10));
      REQUIRE(std::abs(2.25 - report.kinetic_energy + work) < 1e-9);
    }
    CHECK(std::abs(slider.velocity().x()) < 1e-13);
  }
  SUBCASE("a ball joint: the spin falls along itself, by M₀ + μ r m g over I") {
    System system;
    const BodyId ball = system.emplace<RigidBody>(two_kilograms(), kOrigin);
    const JointFriction friction{.limit = 0.1, .coefficient = 0.3, .radius = 0.02};
    const ConstraintId joint =
        system.add_constraint(std::make_unique<BallJoint>(Anchor{kOrigin}, Anchor{kOrigin, ball}, friction));
    const Vector3d spin(1, -2, 0.5);
    Eigen::VectorXd u(6);
    u << spin, kOrigin;
    system.bodies()[ball].set_velocity(u);
    const double loss = (0.1 + 0.3 * 0.02 * 2 * kFrictionGravity) / 0.5, speed = spin.norm();
    TimeStepper stepper(system, exact(0.01));
    double work = 0;
    for (int i = 1; i <= 700; ++i) {
      const StepReport report = stepper.step();
      REQUIRE(report.status == SolveStatus::converged);
      work += work_of(system, joint, 0.01);
      const Vector3d now = dynamic_cast<const RigidBody&>(system.bodies()[ball]).angular_velocity();
      REQUIRE((now - spin * std::max(0.0, 1 - loss * 0.01 * i / speed)).norm() < 1e-10);
      REQUIRE(std::abs(0.25 * speed * speed - report.kinetic_energy + work) < 1e-9);
    }
  }
  SUBCASE("in the plane, too") {
    System system;
    const BodyId disc = system.emplace<PlanarBody>(2.0, 0.5, Eigen::Vector2d(0, 0));
    system.gravity = {0, -kFrictionGravity, 0};
    system.add_constraint(std::make_unique<PlanarRevolute>(Anchor{kOrigin}, Anchor{kOrigin, disc},
                                                           JointFriction{.coefficient = 0.25, .radius = 0.04}));
    system.bodies()[disc].set_velocity(Vector3d(0, 0, 1));
    const BodyId block = system.emplace<PlanarBody>(2.0, 0.5, Eigen::Vector2d(5, 0));
    system.add_constraint(std::make_unique<PlanarPrismatic>(Axis{{5, 0, 0}, Vector3d::UnitX()},
                                                            Axis{{5, 0, 0}, Vector3d::UnitX(), block},
                                                            JointFriction{.coefficient = 0.25}));
    system.bodies()[block].set_velocity(Vector3d(1, 0, 0));
    TimeStepper stepper(system, exact(h));
    for (int i = 0; i < 300; ++i) stepper.step();
    CHECK(system.bodies()[disc].velocity()[2] ==
          doctest::Approx(1 - 0.25 * 0.04 * 2 * kFrictionGravity / 0.5 * 0.3).epsilon(1e-10));
    CHECK(system.bodies()[block].velocity()[0] == doctest::Approx(1 - 0.25 * kFrictionGravity * 0.3).epsilon(1e-10));
  }
}

TEST_CASE("joint friction: a slider holds up to the angle of friction, to 1e-9, and its arm counts the moment") {
  const auto slides = [](double tangent, double coefficient, double arm, double eccentric) {
    const double angle = std::atan(tangent);
    const Vector3d axis(std::cos(angle), 0, -std::sin(angle));
    System system;
    const BodyId body = system.emplace<RigidBody>(two_kilograms(), kOrigin);
    // The guide lies `eccentric` beside the mass centre, across y.
    const Vector3d point(0, eccentric, 0);
    system.add_constraint(std::make_unique<Prismatic>(Axis{point, axis}, Axis{point, axis, body},
                                                      JointFriction{.coefficient = coefficient, .arm = arm}));
    TimeStepper stepper(system, exact(1e-3));
    for (int i = 0; i < 20; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
    return system.bodies()[body].velocity().tail<3>().norm() /
           (kFrictionGravity * 0.02 * std::sin(angle));  // of free sliding
  };
  CHECK(slides(0.3 * (1 - 1e-9), 0.3, 0, 0) < 1e-11);
  CHECK(slides(0.3 * (1 + 1e-9), 0.3, 0, 0) > 0.5e-9);
  CHECK(slides(0.6, 0.3, 0, 0) == doctest::Approx(0.5).epsilon(1e-9));
  // The weight 0.4 m beside the guide: M = 0.4 m g, with an arm of 0.2 m N = m g √(cos² α + 2²), and
  // sin α = 0.3 N/(m g) where it begins to slide.
  const double sine = std::sqrt(0.09 * 5 / 1.09), tangent = sine / std::sqrt(1 - sine * sine);
  CHECK(slides(tangent * (1 - 1e-9), 0.3, 0.2, 0.4) < 1e-11);
  CHECK(slides(tangent * (1 + 1e-9), 0.3, 0.2, 0.4) > 1e-10);
}

TEST_CASE("joint friction: a screw holds its load where μ ≥ tan α, and lowers it by the textbook's formula") {
  const double radius = 0.02, lead = 0.1, pitch = 2 * pi * radius * std::tan(lead);
  const auto screw = [&](double coefficient, double limit) {
    auto system = std::make_unique<System>();
    const BodyId nut = system->emplace<RigidBody>(two_kilograms(), kOrigin);
    std::optional<JointFriction> friction;
    if (coefficient + limit > 0) friction = JointFriction{.limit = limit, .coefficient = coefficient, .radius = radius};
    system->add_constraint(std::make_unique<Screw>(Axis{}, Axis{.body = nut}, pitch, friction));
    return system;
  };
  const auto speed_after = [](System& system, int steps) {
    TimeStepper stepper(system, exact(1e-3));
    for (int i = 0; i < steps; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
    return system.bodies()[BodyId{0}].velocity()[2];
  };
  const double own = std::tan(lead);
  CHECK(std::abs(speed_after(*screw(own * (1 + 1e-9), 0), 20)) < 1e-13);
  CHECK(std::abs(speed_after(*screw(own * (1 - 1e-9), 0), 20)) > 1e-13);
  // Of m z̈ = −m g + N (cos α + μ sin α), J θ̈ = −N r (sin α − μ cos α), z̈ = r tan α θ̈.
  for (const double coefficient : {0.0, 0.03, 0.06}) {
    const double push = std::cos(lead) + coefficient * std::sin(lead);
    const double turn = radius * (std::sin(lead) - coefficient * std::cos(lead));
    const double s = radius * std::tan(lead);
    // θ̈ = −N turn/J; m s θ̈ = −m g + N push.
    const double N = 2 * kFrictionGravity / (push + 2 * s * turn / 0.5);
    const double expected = -N * turn / 0.5 * 0.02;
    CHECK(speed_after(*screw(coefficient, 0), 20) == doctest::Approx(expected).epsilon(1e-9));
  }
  // A limit alone: the weight's moment m g s less the limit, over J + m s².
  const double s = radius * std::tan(lead), limit = 0.4 * 2 * kFrictionGravity * s;
  CHECK(speed_after(*screw(0, limit), 20) ==
        doctest::Approx(-(2 * kFrictionGravity * s - limit) / (0.5 + 2 * s * s) * 0.02).epsilon(1e-9));
}

TEST_CASE("joint friction: numbers that make no sense are refused by name, and so is what cannot turn") {
  const auto refuses = [](const JointFriction& friction, FrictionOf coordinate, const char* what) {
    CHECK_THROWS_WITH_AS(validate(friction, coordinate), doctest::Contains(what), std::invalid_argument);
  };
  refuses({.limit = -1}, FrictionOf::angle, "friction limit: expected a finite number >= 0, found -1");
  refuses({.limit = std::nan("")}, FrictionOf::angle, "friction limit");
  refuses({.coefficient = -0.1, .radius = 1}, FrictionOf::angle, "friction coefficient");
  refuses({.coefficient = 1e7, .radius = 1}, FrictionOf::angle, "at most 1e6");
  refuses({}, FrictionOf::length, "expected a limit or a coefficient above 0, found both 0");
  refuses({.coefficient = 0.1}, FrictionOf::angle, "friction radius: expected one above 0 beside a coefficient");
  refuses({.coefficient = 0.1, .radius = 0.1}, FrictionOf::length, "friction radius: expected none of what slides");
  refuses({.limit = 1, .arm = -1}, FrictionOf::length, "friction arm");

  System system;
  const BodyId grain = system.emplace<Particle>(1.0, Vector3d(0, 0, 0));
  CHECK_THROWS_WITH_AS(system.emplace<Particle>(-1.0, Vector3d(0, 0, 0)), doctest::Contains("mass"),
                       std::invalid_argument);
  CHECK_THROWS_AS(system.add_constraint(
                      std::make_unique<BallJoint>(Anchor{kOrigin}, Anchor{kOrigin, grain}, JointFriction{.limit = 1})),
                  std::invalid_argument);
  CHECK(system.constraints().empty());
  const Coordinate along = axis_displacement({}, {kOrigin, grain});
  CHECK_THROWS_WITH_AS(DryFriction(along, 0),
                       doctest::Contains("friction limit: expected a finite number > 0, found 0"),
                       std::invalid_argument);
  CHECK_THROWS_AS(DryFriction(along, std::nan("")), std::invalid_argument);
}
