// Servos, springs and limits of a joint's coordinate against closed forms, and joints that break.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/driven/servo.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/bushing.hpp>
#include <locdyn/simulation/time_stepper.hpp>

using namespace locdyn;
using Eigen::Vector3d;

namespace {

constexpr double kDrivenMass = 2, kDriveGravity = 9.81;

// A body of 2 kg that slides along z, or turns about it with J = 2 kg m².
struct Coordinate1 {
  System system;
  BodyId body;
  Coordinate x;

  explicit Coordinate1(bool turns)
      : body(system.emplace<RigidBody>(mass(), Vector3d::Zero())),
        x(turns ? axis_angle({}, {.body = body}) : axis_displacement({}, {Vector3d::Zero(), body})) {
    if (turns) {
      system.add_constraint(std::make_unique<Hinge>(Axis{}, Axis{.body = body}));
    } else {
      system.add_constraint(std::make_unique<Prismatic>(Axis{}, Axis{.body = body}));
    }
    system.gravity.setZero();
    row = turns ? 2 : 5;
  }
  static MassProperties mass() {
    MassProperties all;
    all.mass = kDrivenMass;
    all.inertia = kDrivenMass * Eigen::Matrix3d::Identity();
    return all;
  }
  void start(double v) {
    Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
    u[row] = v;
    system.bodies()[body].set_velocity(u);
  }
  [[nodiscard]] double v() const { return system.bodies()[body].velocity()[row]; }
  [[nodiscard]] double place() const {
    if (row == 5) return system.bodies()[body].to_space(Vector3d::Zero()).z();
    const Vector3d along = system.bodies()[body].to_space(Vector3d::UnitX());
    return std::atan2(along.y(), along.x());
  }
  Eigen::Index row = 5;
};

TimeStepperOptions drive_options(double h, const char* solver = "auto") {
  TimeStepperOptions options;
  options.step = h;
  options.solver = solver;
  options.stop.tolerance = 1e-13;
  options.correction = Correction::none;
  return options;
}

TimeFunction sine() {
  return {[](double t) { return 0.1 * std::sin(3 * t); }, [](double t) { return 0.3 * std::cos(3 * t); }, nullptr};
}

}  // namespace

TEST_CASE("a servo follows the implicit scheme of its law to rounding, of a length and of an angle") {
  for (const bool turns : {false, true}) {
    for (const char* solver : {"auto", "nsgs", "newton", "condensed"}) {
      CAPTURE(turns);
      CAPTURE(solver);
      Coordinate1 one(turns);
      const double k = 400, c = 12, most = 9, h = 2e-3;
      one.system.add_constraint(
          std::make_unique<Servo>(one.x, ServoGains{k, c, {.lower = -most, .upper = most}}, sine()));
      one.start(1.0);
      TimeStepper stepper(one.system, drive_options(h, solver));
      double x = 0, v = 1, worst = 0;
      int limited = 0;
      for (int i = 0; i < 400; ++i) {
        REQUIRE(stepper.step().status == SolveStatus::converged);
        // q* = q + h/2 v; R = −k (q* + h/2 v⁺ − f⁺) − c (v⁺ − f′⁺) within ±most; m v⁺ = m v + h R.
        const double t = h * (i + 1), middle = x + h / 2 * v;
        const double stiff = k * h / 2 + c;
        double R = (-k * (middle - sine().value(t)) + c * sine().first(t) - stiff * v) / (1 + stiff * h / kDrivenMass);
        limited += std::abs(R) > most;
        R = std::clamp(R, -most, most);
        v += h * R / kDrivenMass;
        x = middle + h / 2 * v;
        worst = std::max({worst, std::abs(one.v() - v), std::abs(one.place() - x)});
      }
      CHECK(worst < 1e-11);
      CHECK(limited > 10);
      CHECK(limited < 390);
    }
  }
}

TEST_CASE("a servo with a speed of its own, and a bushing in all directions, follow the implicit scheme to rounding") {
  const double k = 300, c = 9, h = 2e-3;
  const auto stepped = [&](double x, double v, double target, double speed) {
    const double middle = x + h / 2 * v, stiff = k * h / 2 + c;
    const double R = (-k * (middle - target) + c * speed - stiff * v) / (1 + stiff * h / kDrivenMass);
    v += h * R / kDrivenMass;
    return std::pair(middle + h / 2 * v, v);
  };
  Coordinate1 one(true);
  const ServoTarget target{[](double t) { return 0.2 * t; }, [](double) { return -0.5; }};  // no derivative of it
  one.system.add_constraint(std::make_unique<Servo>(one.x, ServoGains{k, c, {}}, target));
  TimeStepper stepper(one.system, drive_options(h));

  // Displacement of a free body, and its turn about one axis, J = m: both by the same scheme.
  System free;
  free.gravity.setZero();
  const BodyId body = free.emplace<RigidBody>(Coordinate1::mass(), Vector3d(0.1, 0, 0));
  Eigen::VectorXd u(6);
  u << 0, 0.6, -0.8, 0.3, -0.2, 0.5;
  free.bodies()[body].set_velocity(u);
  free.add_constraint(
      std::make_unique<Bushing>(RelativePlacement({Vector3d::Zero()}, {Vector3d(0.1, 0, 0), body}, {0, 0.06, -0.08}),
                                BushingProperties{k, c, k, c}));
  TimeStepper springs(free, drive_options(h));
  double x = 0, v = 0, turn = -0.1, spin = 1;  // about (0, 0.6, −0.8), from where it is without moment
  std::array<double, 3> place = {0.1, 0, 0}, rate = {0.3, -0.2, 0.5};
  double worst = 0;
  for (int i = 0; i < 300; ++i) {
    REQUIRE(stepper.step().status == SolveStatus::converged);
    REQUIRE(springs.step().status == SolveStatus::converged);
    std::tie(x, v) = stepped(x, v, 0.2 * stepper.time(), -0.5);
    std::tie(turn, spin) = stepped(turn, spin, 0, 0);
    worst = std::max({worst, std::abs(one.place() - x), std::abs(one.v() - v)});
    const Eigen::VectorXd& now = free.bodies()[body].velocity();
    worst = std::max(worst, (now.head<3>() - spin * Vector3d(0, 0.6, -0.8)).norm());
    for (std::size_t k3 = 0; k3 < 3; ++k3) {
      std::tie(place[k3], rate[k3]) = stepped(place[k3], rate[k3], 0, 0);
      worst = std::max(worst, std::abs(now[static_cast<Eigen::Index>(k3) + 3] - rate[k3]));
    }
    const Vector3d there = free.bodies()[body].to_space(Vector3d::Zero());
    worst = std::max(worst, (there - Vector3d(place[0], place[1], place[2])).norm());
  }
  CHECK(worst < 1e-11);
}

TEST_CASE("a servo's step response is that of proportional and derivative control, the error falling with h") {
  // m ẍ + c ẋ + k (x − 1) = 0 from rest at 0: 1 − e^{−δt} (cos ωt + δ/ω sin ωt).
  const double k = 50, c = 6, delta = c / (2 * kDrivenMass), omega = std::sqrt(k / kDrivenMass - delta * delta);
  double error[2] = {0, 0};
  for (int fine = 0; fine < 2; ++fine) {
    Coordinate1 one(false);
    one.system.add_constraint(std::make_unique<Servo>(one.x, ServoGains{k, c, {}}, 1.0));
    TimeStepper stepper(one.system, drive_options(fine == 1 ? 5e-4 : 1e-3));
    while (stepper.time() < 1.5) {
      stepper.step();
      const double t = stepper.time();
      const double exact = 1 - std::exp(-delta * t) * (std::cos(omega * t) + delta / omega * std::sin(omega * t));
      error[fine] = std::max(error[fine], std::abs(one.place() - exact));
    }
  }
  MESSAGE("largest error ", error[0], " m at h = 1 ms, ", error[1], " m at 0.5 ms");
  CHECK(error[0] < 5e-3);
  CHECK(error[0] / error[1] == doctest::Approx(2).epsilon(0.05));
}

TEST_CASE("a servo of speed, a limited motor and a spring with a damper against their closed forms") {
  const double h = 1e-3;
  SUBCASE("speed: v⁺ = (v + h c w/m)/(1 + h c/m)") {
    Coordinate1 one(true);
    TimeFunction target = constant_function(0);
    target.first = [](double) { return 4.0; };
    one.system.add_constraint(std::make_unique<Servo>(one.x, ServoGains{.damping = 20}, target));
    TimeStepper stepper(one.system, drive_options(h));
    double v = 0;
    for (int i = 0; i < 300; ++i) {
      stepper.step();
      v = (v + h * 20 * 4 / kDrivenMass) / (1 + h * 20 / kDrivenMass);
      REQUIRE(one.v() == doctest::Approx(v).epsilon(1e-12));
    }
  }
  SUBCASE("a motor of 3 N: v = 3 t/m up to its speed, and no force from then on") {
    Coordinate1 one(false);
    const ConstraintId motor =
        one.system.add_constraint(std::make_unique<VelocityMotor>(one.x, 0.5, ForceRange{.lower = -1, .upper = 3}));
    TimeStepper stepper(one.system, drive_options(h));
    for (int i = 1; i <= 500; ++i) {
      stepper.step();
      REQUIRE(one.v() == doctest::Approx(std::min(0.5, 3 / kDrivenMass * h * i)).epsilon(1e-12));
    }
    CHECK(std::abs(one.system.graph().row(motor).R[2]) < 1e-12);
    // Pushed beyond its speed it brakes with 1 N alone.
    one.start(2);
    for (int i = 1; i <= 100; ++i) {
      stepper.step();
      REQUIRE(one.v() == doctest::Approx(2 - 1 / kDrivenMass * h * i).epsilon(1e-12));
    }
  }
  SUBCASE("a spring: implicit, and it rests where the weight stretches it") {
    Coordinate1 one(false);
    one.system.gravity = {0, 0, -kDriveGravity};
    one.system.add_constraint(std::make_unique<CoordinateSpring>(one.x, SpringProperties{500, 40}, 0.1));
    TimeStepper stepper(one.system, drive_options(5e-3));
    for (int i = 0; i < 2000; ++i) stepper.step();
    // A body that has moved by less than 1e-10 of its size counts as at rest: so far the spring does not see.
    CHECK(one.place() == doctest::Approx(0.1 - kDrivenMass * kDriveGravity / 500).epsilon(2e-9));
    CHECK(std::abs(one.v()) < 2e-9);
  }
}

TEST_CASE("limits with restitution: between two of them the speed falls by e at each, and with e = 1 stays") {
  for (const bool turns : {false, true}) {
    for (const double e : {1.0, 0.7, 0.25}) {
      CAPTURE(turns);
      CAPTURE(e);
      Coordinate1 one(turns);
      one.system.add_constraint(std::make_unique<Limit>(one.x, Side::lower, -0.2, e));
      one.system.add_constraint(std::make_unique<Limit>(one.x, Side::upper, 0.3, e));
      one.start(2);
      TimeStepper stepper(one.system, drive_options(1e-3));
      double speed = 2, last = 2;
      int bounces = 0;
      while (stepper.time() < 1.5) {
        REQUIRE(stepper.step().status == SolveStatus::converged);
        if (one.v() * last < 0) {
          speed *= e;
          ++bounces;
        }
        last = one.v();
        REQUIRE(std::abs(one.v()) == doctest::Approx(speed).epsilon(1e-12));
        REQUIRE(one.place() < 0.3 + 2e-3);
        REQUIRE(one.place() > -0.2 - 2e-3);
      }
      CHECK(bounces >= 2);
    }
  }
  // Dropped on its limit from a height H it rises to e² H, but for what a step may be late.
  Coordinate1 one(false);
  one.system.gravity = {0, 0, -kDriveGravity};
  one.system.add_constraint(std::make_unique<Limit>(one.x, Side::lower, -1, 0.5));
  TimeStepper stepper(one.system, drive_options(1e-4));
  double top = -1;
  bool rises = false;
  while (stepper.time() < 0.8) {
    stepper.step();
    rises = rises || one.v() > 0;
    if (rises) top = std::max(top, one.place());
  }
  CHECK(top + 1 == doctest::Approx(0.25).epsilon(2e-3));
}

TEST_CASE("a joint breaks beyond its load, to 1e-9, with what acts on it, and a saved run knows") {
  struct Hanging {
    System system;
    BodyId body = system.emplace<RigidBody>(Coordinate1::mass(), Vector3d::Zero());
    ConstraintId hinge = system.add_constraint(std::make_unique<Hinge>(Axis{}, Axis{.body = body}), "pin");
    ConstraintId limit =
        system.add_constraint(std::make_unique<Limit>(axis_angle({}, {.body = body}), Side::upper, 1.0), "pin.upper");
    explicit Hanging(double share) {
      const ConstraintId with[] = {limit};
      system.set_breaking(hinge, {.force = kDrivenMass * kDriveGravity * (1 + share)}, with);
    }
  };
  Hanging holds(1e-9);
  TimeStepper stepper(holds.system, drive_options(1e-3));
  for (int i = 0; i < 20; ++i) CHECK(stepper.step().broken.empty());
  CHECK(holds.system.constraints().size() == 2);

  Hanging breaks(-1e-9);
  TimeStepper other(breaks.system, drive_options(1e-3));
  const StepReport report = other.step();
  REQUIRE(report.broken.size() == 1);
  CHECK(report.broken[0].name == "pin");
  CHECK(report.broken[0].joint == breaks.hinge);
  CHECK(report.broken[0].time == doctest::Approx(1e-3));
  CHECK(report.broken[0].load.force == doctest::Approx(kDrivenMass * kDriveGravity).epsilon(1e-12));
  CHECK(breaks.system.constraints().empty());
  CHECK(breaks.system.breakables()[0].broken);
  for (int i = 0; i < 100; ++i) CHECK(other.step().broken.empty());
  CHECK(breaks.system.bodies()[breaks.body].velocity()[5] == doctest::Approx(-kDriveGravity * 0.1).epsilon(1e-12));

  // A run that goes on from its state has the same bits, and a broken joint does not come back.
  Hanging again(-1e-9);
  TimeStepper third(again.system, drive_options(1e-3));
  third.restore(other.state());
  CHECK(again.system.constraints().empty());
  other.step();
  third.step();
  CHECK(again.system.bodies()[again.body].configuration() == breaks.system.bodies()[breaks.body].configuration());
  Hanging fresh(-1e-9);
  const StepperState whole = TimeStepper(fresh.system, drive_options(1e-3)).state();
  CHECK_THROWS_WITH_AS(third.restore(whole), doctest::Contains("found it broken"), std::invalid_argument);
  StepperState wrong = other.state();
  wrong.broken = {3};
  CHECK_THROWS_WITH_AS(third.restore(wrong), doctest::Contains("broken joints: expected numbers below 1, found 3"),
                       std::invalid_argument);

  // A moment: of a weight at an arm of 0.3 m on a weld.
  for (const double share : {1e-9, -1e-9}) {
    System system;
    const BodyId body = system.emplace<RigidBody>(Coordinate1::mass(), Vector3d::Zero());
    const Vector3d point(0.3, 0, 0);
    const ConstraintId weld = system.add_constraint(std::make_unique<Weld>(Anchor{point}, Anchor{point, body}));
    system.set_breaking(weld, {.moment = 0.3 * kDrivenMass * kDriveGravity * (1 + share)});
    TimeStepper one(system, drive_options(1e-3));
    CHECK(one.step().broken.size() == (share > 0 ? 0u : 1u));
  }
}

TEST_CASE("drives that make no sense are refused by name") {
  Coordinate1 one(false);
  const auto refuses = [](const auto& make, const char* what) {
    CHECK_THROWS_WITH_AS(make(), doctest::Contains(what), std::invalid_argument);
  };
  const double nan = std::nan("");
  refuses([&] { validate(ServoGains{-1, 1, {}}); }, "stiffness: expected >= 0, found -1");
  refuses([&] { validate(ServoGains{1, nan, {}}); }, "damping");
  refuses([&] { validate(ServoGains{}); }, "stiffness and damping: expected one above 0, found both 0");
  refuses([&] { validate(ServoGains{1, 1, {.lower = 1, .upper = 2}}); }, "force range: expected a lower limit <= 0");
  refuses([&] { validate(ForceRange{.lower = nan}); }, "force range");
  refuses([&] { Servo(one.x, ServoGains{1, 1, {}}, TimeFunction{}); }, "f: expected a function of time, found none");
  refuses([&] { Servo(one.x, ServoGains{1, 1, {}}, ServoTarget{}); }, "position of a servo: expected a function");
  refuses([&] { Servo(one.x, ServoGains{.damping = 1}, ServoTarget{}); }, "speed of a servo: expected a function");
  refuses([&] { Limit(one.x, Side::lower, 0, 1.5); }, "restitution: expected 0 ... 1, found 1.5");
  refuses([&] { Limit(one.x, Side::lower, 0, nan); }, "restitution");
  refuses([&] { VelocityMotor(one.x, 1.0, ForceRange{.lower = 2, .upper = 3}); }, "force range");
  const ConstraintId joint = one.system.constraints()[0];
  refuses([&] { one.system.set_breaking(joint, {}); },
          "breaking load: expected a finite force or moment, found neither");
  refuses([&] { one.system.set_breaking(joint, {.force = -1}); }, "breaking force: expected a number > 0, found -1");
  refuses([&] { one.system.set_breaking(joint, {.moment = nan}); }, "breaking moment");
  CHECK_THROWS_AS(one.system.set_breaking(ConstraintId{77}, {.force = 1}), std::out_of_range);
  const ConstraintId with[] = {ConstraintId{77}};
  CHECK_THROWS_AS(one.system.set_breaking(joint, {.force = 1}, with), std::out_of_range);
  CHECK(one.system.breakables().empty());
}
