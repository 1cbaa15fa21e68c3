// Motion with error control: conserved quantities, closed forms, events, outputs, and what is refused.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/mechanism/mobility.hpp>
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>

#include "problems/pendulum.hpp"

using namespace locdyn;
using namespace locdyn::test;
using std::numbers::pi;

namespace {

using Reason = MotionError::Reason;

// K(k) by the arithmetic-geometric mean.
double quarter_period(double k) {
  double a = 1, b = std::sqrt(1 - k * k);
  while (std::abs(a - b) > 1e-15) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return pi / (2 * a);
}

MotionEvent crossing(std::size_t coordinate, MotionEvent::Direction direction, bool stops = false) {
  return {.g = [coordinate](
                   const Mechanism& m) { return m.bodies()[BodyId{0}].configuration()[static_cast<int>(coordinate)]; },
          .direction = direction,
          .stops = stops,
          .name = "crossing"};
}

template <class Work>
MotionError refused(const Work& work) {
  try {
    work();
  } catch (const MotionError& error) {
    return error;
  }
  FAIL("expected a MotionError");
  return {Reason::no_solution, 0, ""};
}

}  // namespace

TEST_CASE("a large swing has the period of the elliptic integral, with every integrator") {
  const double amplitude = 2.6;
  const double period = 4 * quarter_period(std::sin(amplitude / 2)) / std::sqrt(Pendulum::kGravity);
  struct Case {
    Integrator integrator;
    double tolerance;
  };
  // BDF of order 5 at most adds up errors of many more steps; Adams drifts off the constraint.
  for (const Case& c :
       {Case{Integrator::runge_kutta, 1e-9}, Case{Integrator::adams, 2e-5}, Case{Integrator::bdf, 1e-6}}) {
    CAPTURE(static_cast<int>(c.integrator));
    Pendulum pendulum(amplitude);
    const MotionReport report = integrate(
        pendulum.mechanism, pendulum.loads,
        {.until = 3.2 * period, .integrator = c.integrator, .events = {crossing(0, MotionEvent::Direction::falling)}});
    REQUIRE(report.events.size() == 3);
    CHECK(std::abs(report.events[0].time - period / 4) < c.tolerance);
    CHECK(std::abs(report.events[1].time - report.events[0].time - period) < c.tolerance);
    CHECK(std::abs(report.events[2].time - 2.25 * period) < 3 * c.tolerance);
    CHECK(report.reached == 3.2 * period);
    CHECK(pendulum.mechanism.bodies().time() == 3.2 * period);
    CHECK(report.position_error < 1e-12);
    CHECK(report.velocity_error < 1e-12);
  }
}

TEST_CASE("a double pendulum keeps its energy") {
  struct Case {
    double rtol, atol, duration, share;
  };
  for (const Case& c : {Case{1e-9, 1e-11, 20, 1e-5}, Case{1e-11, 1e-13, 10, 1e-8}}) {
    CAPTURE(c.rtol);
    DoublePendulum pendulum(2.0, 2.5);
    const double start = pendulum.energy();
    const MotionReport report =
        integrate(pendulum.mechanism, pendulum.loads, {.until = c.duration, .rtol = c.rtol, .atol = c.atol});
    CHECK(std::abs(pendulum.energy() - start) < c.share * DoublePendulum::kPotentialRange);
    CHECK(report.position_error < 1e-12);
    CHECK(report.steps > 10);
  }
}

TEST_CASE("a free symmetric top turns as its closed form says") {
  // J = diag(a, a, c): Ω turns about the body's axis at λ = (c − a)/a Ω₃, the axis about L at |L|/a.
  const double a = 0.8, c = 0.3;
  BodySet bodies;
  const BodyId id = bodies.emplace<RigidBody>(MassProperties{1.0, Vector3d::Zero(), Vector3d(a, a, c).asDiagonal()},
                                              Vector3d::Zero());
  const Vector3d omega(1.5, 0, 4);
  Eigen::VectorXd u(6);
  u << omega, 0.1, 0.2, 0.3;
  bodies[id].set_velocity(u);
  const Vector3d momentum = bodies[id].angular_momentum();
  const double energy = bodies.kinetic_energy(), T = 10;
  Mechanism mechanism(bodies, {});
  integrate(mechanism, {.gravity = Vector3d::Zero()}, {.until = T});
  const double lambda = (c - a) / a * omega[2] * T;
  const Vector3d expected(omega[0] * std::cos(lambda), omega[0] * std::sin(lambda), omega[2]);
  CHECK((bodies[id].velocity().head<3>() - expected).norm() < 1e-8);
  CHECK((bodies[id].angular_momentum() - momentum).norm() < 1e-8);
  CHECK(bodies.kinetic_energy() == doctest::Approx(energy).epsilon(1e-8));
  const Vector3d axis = exponential(momentum / a * T) * Vector3d::UnitZ();
  CHECK((dynamic_cast<const RigidBody&>(bodies[id]).rotation().col(2) - axis).norm() < 1e-8);
  CHECK((bodies[id].to_space(Vector3d::Zero()) - T * Vector3d(0.1, 0.2, 0.3)).norm() < 1e-9);
}

TEST_CASE("outputs and events do not disturb the motion, and give the multipliers there") {
  DoublePendulum alone(1.0, -0.5), watched(1.0, -0.5);
  const MotionReport plain = integrate(alone.mechanism, alone.loads, {.until = 2});
  std::vector<double> times;
  for (int k = 0; k <= 40; ++k) times.push_back(0.05 * k);
  std::vector<double> seen;
  double largest = 0;
  const double start = watched.energy();
  const MotionReport report = integrate(
      watched.mechanism, watched.loads,
      {.until = 2, .output_times = times, .events = {crossing(1, MotionEvent::Direction::both)}},
      [&](const MotionPoint& point) {
        if (point.event < 0) seen.push_back(point.time);
        largest = std::max(largest, std::abs(watched.energy() - start));
        REQUIRE(point.rates.multipliers.size() == 2);
        // The lower rod pulls along itself: m (ü − g) = n λ.
        const Vector3d n =
            (watched.system.bodies()[BodyId{1}].configuration() - watched.system.bodies()[BodyId{0}].configuration());
        const Vector3d force = point.rates.acceleration.tail<3>() - watched.loads.gravity;
        CHECK((force - point.rates.multipliers[1] * n).norm() < 1e-9);
        CHECK(std::abs(n.norm() - 1) < 1e-12);
      });
  CHECK(seen == times);
  CHECK(largest < 1e-8);
  CHECK(alone.mechanism.velocity() == watched.mechanism.velocity());
  CHECK(report.steps == plain.steps);
}

TEST_CASE("an event stops the motion where its function is zero") {
  Pendulum pendulum;
  const double expected = quarter_period(std::sin(pi / 4)) / std::sqrt(Pendulum::kGravity);
  std::vector<MotionPoint> points;
  const MotionReport report = integrate(
      pendulum.mechanism, pendulum.loads,
      {.until = 10, .output_times = {0, 0.1, 9}, .events = {crossing(0, MotionEvent::Direction::rising, true)}},
      [&](const MotionPoint& point) { points.push_back(point); });
  CHECK(report.stopped_by == 0);
  CHECK(std::abs(report.reached - expected) < 1e-10);
  CHECK(std::abs(pendulum.position().x()) < 1e-12);
  // At the lowest point the rod carries 3 m g.
  REQUIRE(points.size() == 3);
  CHECK(points[2].event == 0);
  CHECK(points[2].rates.multipliers[0] == doctest::Approx(-3 * Pendulum::kGravity).epsilon(1e-9));
}

TEST_CASE("drives and moving ground are followed as functions of time") {
  Linkage linkage;
  const BodyId ground = linkage.system.emplace<Obstacle>(Vector3d(0.3, 0, 0), Vector3d(0, 0, 2), Vector3d::Zero());
  const BodyId bar = linkage.planar_bar({0.5, 0}, {1.5, 0});
  linkage.pin("bearing", {0.5, 0}, ground, bar);
  const auto phi = [](double t) { return std::sin(3 * t); };
  linkage.join<Prescribed>(
      "motor", planar_angle(bar),
      TimeFunction{phi, [](double t) { return 3 * std::cos(3 * t); }, [](double t) { return -9 * std::sin(3 * t); }});
  // The bearing moves with 0.3 + 2 ẑ × 0.5 x̂ at the start, and the bar turns at 3 rad/s.
  linkage.system.bodies()[bar].set_velocity(Vector3d(0.3, 1.0 + 3 * 0.5, 3));
  Mechanism mechanism(linkage.system);
  const double T = 1.7;
  const MotionReport report = integrate(mechanism, {}, {.until = T});
  CHECK(report.position_error < 1e-12);
  const Vector3d bearing(0.3 * T + 0.5 * std::cos(2 * T), 0.5 * std::sin(2 * T), 0);
  CHECK((linkage.system.bodies()[bar].to_space({-0.5, 0, 0}) - bearing).norm() < 1e-12);
  CHECK(dynamic_cast<const PlanarBody&>(linkage.system.bodies()[bar]).angle() ==
        doctest::Approx(phi(T)).epsilon(1e-12));
}

TEST_CASE("an arm that is driven in all its joints is followed where its rows are weak") {
  // Four bars in line: no freedom is left, and rows add up along the arm.
  Linkage linkage;
  std::vector<BodyId> bars;
  const auto phi = [](double t) { return std::sin(3 * t); };
  for (int k = 0; k < 4; ++k) {
    bars.push_back(linkage.planar_bar({static_cast<double>(k), 0}, {k + 1.0, 0}));
    const Vector3d joint(k, 0, 0);
    if (k == 0) linkage.pin("shoulder", joint.head<2>(), bars[0]);
    if (k > 0)
      linkage.pin("joint " + std::to_string(k), joint.head<2>(), bars[static_cast<std::size_t>(k) - 1], bars.back());
    const Axis before{joint, Vector3d::UnitZ(),
                      k > 0 ? std::optional(bars[static_cast<std::size_t>(k) - 1]) : std::nullopt};
    linkage.join<Prescribed>(
        "motor " + std::to_string(k), axis_angle(before, {joint, Vector3d::UnitZ(), bars.back()}),
        TimeFunction{phi, [](double t) { return 3 * std::cos(3 * t); }, [](double t) { return -9 * std::sin(3 * t); }});
    // Bar k turns at 3 (k + 1) rad/s, and its joint goes up at 3 (1 + 2 + … + k) m/s.
    linkage.system.bodies()[bars.back()].set_velocity(Vector3d(0, 1.5 * k * (k + 1) + 1.5 * (k + 1), 3.0 * (k + 1)));
  }
  Mechanism mechanism(linkage.system);
  CHECK(mobility(mechanism).weakest < 0.1);
  CHECK(mobility(mechanism).freedoms == 0);
  const double T = 1.7;
  const MotionReport report = integrate(mechanism, {}, {.until = T});
  CHECK(report.position_error < 1e-12);
  Vector3d tip = Vector3d::Zero();
  for (int k = 1; k <= 4; ++k) tip += Vector3d(std::cos(k * phi(T)), std::sin(k * phi(T)), 0);
  CHECK((linkage.system.bodies()[bars[3]].to_space({0.5, 0, 0}) - tip).norm() < 1e-11);
}

TEST_CASE("a force of time alone is integrated to the tolerance") {
  // The pair's estimate must not vanish for a quadrature.
  BodySet bodies;
  bodies.emplace<Particle>(1.0, Vector3d::Zero());
  Mechanism mechanism(bodies, {});
  const AppliedLoads loads{.gravity = Vector3d::Zero(), .add = [](BodySet& set, double t) {
                             set[BodyId{0}].add_force({std::cos(40 * t), 0, 0}, Vector3d::Zero());
                           }};
  integrate(mechanism, loads, {.until = 3});
  CHECK(std::abs(bodies[BodyId{0}].velocity()[0] - std::sin(120.0) / 40) < 1e-9);
  CHECK(std::abs(bodies[BodyId{0}].configuration()[0] - (1 - std::cos(120.0)) / 1600) < 1e-9);
}

TEST_CASE("Baumgarte's terms bound the drift that they allow") {
  DoublePendulum pendulum(1.5, 1.0);
  const MotionReport report = integrate(pendulum.mechanism, pendulum.loads,
                                        {.until = 10,
                                         .rtol = 1e-6,
                                         .atol = 1e-8,
                                         .stabilisation = {.kind = Stabilisation::baumgarte, .alpha = 20, .beta = 20}});
  CHECK(report.position_error > 1e-13);
  CHECK(report.position_error < 1e-5);
}

TEST_CASE("what has no meaning is refused before anything moves") {
  Pendulum pendulum;
  const auto message = [&](const IntegrateOptions& options) -> std::string {
    try {
      integrate(pendulum.mechanism, pendulum.loads, options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  CHECK(message({.until = -1}) == "until: expected a time not before that of the bodies, found -1");
  CHECK(message({.until = 1, .rtol = 0}).find("rtol: expected") == 0);
  CHECK(message({.until = 1, .atol = -1}).find("atol: expected a number >= 0, found -1") == 0);
  CHECK(message({.until = 1, .output_times = {0.5, 0.2}}).find("output_times: expected ascending") == 0);
  CHECK(message({.until = 1, .events = {{.g = nullptr, .name = "nothing"}}}) ==
        "event \"nothing\": expected a function g, found none");
  CHECK(message({.until = 1, .max_steps = 0}) == "max_steps: expected a number > 0, found 0");
  CHECK(pendulum.mechanism.bodies().time() == 0);
}

TEST_CASE("a start that does not meet the rows is refused by name") {
  Pendulum pendulum;
  pendulum.system.bodies()[BodyId{0}].set_velocity(Vector3d(0.5, 0, 0));
  const MotionError error = refused([&] { integrate(pendulum.mechanism, pendulum.loads, {.until = 1}); });
  CHECK(error.reason() == Reason::does_not_close);
  CHECK(error.at_fault() == "rigid link \"rod\", row 2");
  CHECK(
      std::string(error.what()) ==
      "motion at t = 0 s: expected velocities that meet all rows, found 0.5 m/s missing in rigid link \"rod\", row 2: "
      "solve for velocities first");
}

TEST_CASE("nothing is integrated on past a step limit, a function without a number, or drives that contradict") {
  Pendulum pendulum;
  const MotionError limit =
      refused([&] { integrate(pendulum.mechanism, pendulum.loads, {.until = 100, .max_steps = 5}); });
  CHECK(limit.reason() == Reason::step_limit);
  CHECK(limit.time() > 0);
  CHECK(pendulum.mechanism.bodies().time() == limit.time());
  CHECK(std::abs(pendulum.energy()) < 1e-8);

  Pendulum other;
  other.loads.add = [](BodySet& set, double t) {
    const double force = t < 0.5 ? 0 : std::numeric_limits<double>::quiet_NaN();
    set[BodyId{0}].add_force({force, 0, 0}, Vector3d::Zero());
  };
  const MotionError nan = refused([&] { integrate(other.mechanism, other.loads, {.until = 1}); });
  CHECK(nan.reason() == Reason::bad_function);
  CHECK(std::string(nan.what()).find("force: expected a finite number, found nan") != std::string::npos);
  CHECK(other.mechanism.bodies().time() <= 0.5);
  CHECK(std::abs(other.energy()) < 1e-8);

  Linkage linkage;
  const BodyId bar = linkage.planar_bar({0, 0}, {1, 0});
  linkage.pin("bearing", {0, 0}, bar);
  const auto drive = [&](const char* name, double bend) {
    linkage.join<Prescribed>(name, planar_angle(bar),
                             TimeFunction{[bend](double t) { return t < 1 ? 0 : bend * std::pow(t - 1, 3); },
                                          [bend](double t) { return t < 1 ? 0 : 3 * bend * std::pow(t - 1, 2); },
                                          [bend](double t) { return t < 1 ? 0 : 6 * bend * (t - 1); }});
  };
  drive("one", 1);
  drive("other", -1);
  Mechanism mechanism(linkage.system);
  const MotionError both = refused([&] { integrate(mechanism, {}, {.until = 2, .max_step = 0.1}); });
  CHECK(both.reason() == Reason::contradictory);
  CHECK(both.at_fault().find("prescribed coordinate \"") == 0);
  CHECK(mechanism.bodies().time() < 1.11);

  Linkage motor;
  const BodyId arm = motor.planar_bar({0, 0}, {1, 0});
  motor.pin("bearing", {0, 0}, arm);
  motor.join<Prescribed>("broken", planar_angle(arm),
                         TimeFunction{[](double t) { return t; }, [](double) { return 1.0; },
                                      [](double t) { return t < 0.3 ? 0 : std::sqrt(-t); }});
  motor.system.bodies()[arm].set_velocity(Vector3d(0, 0.5, 1));
  Mechanism driven(motor.system);
  const MotionError broken = refused([&] { integrate(driven, {}, {.until = 1}); });
  CHECK(broken.reason() == Reason::bad_function);
  CHECK(std::string(broken.what()).find("prescribed coordinate \"broken\"") != std::string::npos);
}
