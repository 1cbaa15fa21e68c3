// Velocities and accelerations of drives, of time and of moving ground; robots, loads and what holds them.

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>

#include <locdyn/ldy/assembly/constraints/spring_damper.hpp>
#include <locdyn/mechanism/drive_transmission.hpp>
#include <locdyn/mechanism/loads.hpp>
#include <locdyn/mechanism/mobility.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/mechanism/rates.hpp>

#include "linkages.hpp"

using namespace locdyn;
using namespace locdyn::test;
using std::numbers::pi;

namespace {

// Two bars of lengths l₁, l₂ in the plane, both angles driven against what they hang on.
struct Arm : Linkage {
  double l1 = 0.8, l2 = 0.5;
  BodyId upper = planar_bar({0, 0}, {l1, 0}), lower = planar_bar({l1, 0}, {l1 + l2, 0}, 3);
  Mechanism mechanism;
  DriveId shoulder, elbow;

  Arm()
      : mechanism((joints(), system)),
        shoulder(mechanism.add_drive(planar_angle(upper), "shoulder")),
        elbow(mechanism.add_drive(
            axis_angle({{l1, 0, 0}, Vector3d::UnitZ(), upper}, {{l1, 0, 0}, Vector3d::UnitZ(), lower}), "elbow")) {}
  void joints() {
    pin("shoulder pin", {0, 0}, upper);
    pin("elbow pin", {l1, 0}, upper, lower);
  }
  [[nodiscard]] Vector3d tip(double p, double q) const {
    return {l1 * std::cos(p) + l2 * std::cos(p + q), l1 * std::sin(p) + l2 * std::sin(p + q), 0};
  }
};

}  // namespace

TEST_CASE("an arm of two bars: Jacobian of its tip, torques that hold a load, accelerations of given drives") {
  Arm arm;
  const double p = 0.7, q = 1.1;
  arm.mechanism.set_drive(arm.shoulder, {.value = p, .rate = 1.3, .acceleration = -2});
  arm.mechanism.set_drive(arm.elbow, {.value = q, .rate = -0.4, .acceleration = 5});
  REQUIRE(close(arm.mechanism).closed());
  const Vector3d X(arm.l2 / 2, 0, 0);
  CHECK((arm.system.bodies()[arm.lower].to_space(X) - arm.tip(p, q)).norm() <= 1e-14);

  const DriveTransmission transmission = drive_transmission(arm.mechanism);
  REQUIRE(transmission.exists);
  const Eigen::MatrixXd J = effector_jacobian(arm.mechanism, transmission, arm.lower, X);
  const Vector3d z = Vector3d::UnitZ(), elbow = arm.l1 * Vector3d(std::cos(p), std::sin(p), 0);
  Eigen::MatrixXd expected(6, 2);
  expected << z.cross(arm.tip(p, q)), z.cross(arm.tip(p, q) - elbow), z, z;
  CHECK((J - expected).norm() <= 1e-14);

  // By differences, the drives moved and closed again.
  const double step = 1e-6;
  for (const DriveId drive : {arm.shoulder, arm.elbow}) {
    const MechanismState here = arm.mechanism.state();
    const auto moved = [&](double by) {
      const DriveMotion motion = arm.mechanism.drive(drive).motion();
      arm.mechanism.set_drive(drive, {.value = motion.value + by});
      REQUIRE(close(arm.mechanism).closed());
      const Vector3d x = arm.system.bodies()[arm.lower].to_space(X);
      arm.mechanism.restore(here);
      return x;
    };
    const Vector3d difference = (moved(step) - moved(-step)) / (2 * step);
    CHECK((difference - J.col(static_cast<Eigen::Index>(drive)).head<3>()).norm() <= 1e-9);
  }

  // ẍ = J s̈ − Σ ω² r.
  REQUIRE(solve_velocities(arm.mechanism).met);
  const RateReport a = solve_accelerations(arm.mechanism);
  REQUIRE(a.met);
  const double w = 1.3, v = 1.3 - 0.4;
  const Vector3d x2 = expected.topRows<3>() * Vector2d(-2, 5) - w * w * elbow - v * v * (arm.tip(p, q) - elbow);
  CHECK((point_acceleration(arm.mechanism, arm.lower, X, a.value) - x2).norm() <= 1e-13);

  Loads loads(arm.mechanism);
  const Vector3d force(3, -40, 0), torque(0, 0, 0.6);
  loads.add_force(arm.lower, X, force);
  loads.add_torque(arm.lower, torque);
  loads.add_gravity({0, -9.81, 0});
  const Vector2d worth = drive_loads(transmission, loads.f());
  const double m1 = 1, m2 = 3, g = 9.81;
  const Vector2d by_hand =
      expected.transpose() * (Eigen::VectorXd(6) << force, torque).finished() -
      g * Vector2d(m1 * elbow.x() / 2 + m2 * (elbow + arm.tip(p, q)).x() / 2, m2 * (arm.tip(p, q) - elbow).x() / 2);
  CHECK((worth - by_hand).norm() <= 1e-13);
  const StaticReport still = static_reactions(arm.mechanism, loads.f());
  CHECK(still.balanced);
  CHECK((still.drives + by_hand).norm() <= 1e-12);
  CHECK(loads.power() == doctest::Approx(by_hand.dot(Vector2d(1.3, -0.4))).epsilon(1e-13));
}

TEST_CASE("a universal joint hands torque on by the inverse of its speed ratio") {
  Cardan shaft(0.6);
  for (const double theta : {0.0, 0.5, 1.3}) {
    shaft.mechanism.set_drive(shaft.drive, {.value = theta});
    REQUIRE(close(shaft.mechanism).closed());
    Loads loads(shaft.mechanism);
    loads.add_torque(shaft.driven, 100 * shaft.second);
    const double ratio = std::cos(0.6) / (1 - std::pow(std::sin(0.6) * std::cos(theta), 2));
    const StaticReport still = static_reactions(shaft.mechanism, loads.f());
    CHECK(still.balanced);
    CHECK(still.drives[0] == doctest::Approx(-100 * ratio).epsilon(1e-12));
  }
}

TEST_CASE("drives as functions of time, on ground that moves") {
  // A carriage goes along x and turns; the bar on it turns against it by f(t).
  Linkage w;
  const Vector3d velocity(0.4, 0.1, 0), spin(0, 0, 0.7);
  const BodyId carriage = w.system.emplace<Obstacle>(velocity, spin, Vector3d::Zero());
  const BodyId bar = w.planar_bar({1, 0}, {2, 0});
  w.join<PlanarRevolute>("pin", Anchor{{1, 0, 0}, carriage}, Anchor{{1, 0, 0}, bar});
  const TimeFunction f{[](double t) { return 0.3 * std::sin(2 * t); }, [](double t) { return 0.6 * std::cos(2 * t); },
                       [](double t) { return -1.2 * std::sin(2 * t); }};
  w.join<Prescribed>("motor", axis_angle({{1, 0, 0}, Vector3d::UnitZ(), carriage}, {{1, 0, 0}, Vector3d::UnitZ(), bar}),
                     f);
  Mechanism mechanism(w.system);
  double place = 0, speed = 0, acceleration = 0;
  const PathReport path = follow_time(mechanism, {.from = 0, .to = 3, .step = 0.1}, [&](const PathPoint& at) {
    const double t = at.value, p = 0.7 * t, q = p + f.value(t), qd = 0.7 + f.first(t);
    const auto unit = [](double angle) { return Vector3d(std::cos(angle), std::sin(angle), 0); };
    const auto across = [](double angle) { return Vector3d(-std::sin(angle), std::cos(angle), 0); };
    const KinematicBody& body = kinematic(w.system.bodies(), bar);
    const Vector3d end(0.5, 0, 0);
    place = std::max(place, (body.to_space(end) - (t * velocity + unit(p) + unit(q))).norm());
    speed = std::max(speed, (body.point_motion(end).velocity - (velocity + 0.7 * across(p) + qd * across(q))).norm());
    const RateReport a = solve_accelerations(mechanism);
    REQUIRE(a.met);
    const Vector3d expected = -0.49 * unit(p) - qd * qd * unit(q) + f.second(t) * across(q);
    acceleration = std::max(acceleration, (point_acceleration(mechanism, bar, end, a.value) - expected).norm());
  });
  INFO(path.message());
  REQUIRE(path.status == PathStatus::reached);
  CHECK(mechanism.bodies().time() == 3);
  CHECK(place <= 1e-13);
  CHECK(speed <= 1e-13);
  CHECK(acceleration <= 1e-13);
}

TEST_CASE("a function of time that asks for more than the links reach: the path ends where they are stretched") {
  Linkage w;
  const BodyId one = w.planar_bar({0, 0}, {0.6, 0.8}), two = w.planar_bar({0.6, 0.8}, {1.2, 0});
  w.pin("first", {0, 0}, one);
  w.pin("middle", {0.6, 0.8}, one, two);
  w.join<PlanarPointOnLine>("line", Axis{Vector3d::Zero(), Vector3d::UnitX()}, Anchor{{1.2, 0, 0}, two});
  w.join<Prescribed>("reach", distance({Vector3d::Zero()}, {{1.2, 0, 0}, two}), linear_function(1.2, 0.5));
  Mechanism mechanism(w.system);
  const PathReport path = follow_time(mechanism, {.from = 0, .to = 3, .step = 0.25});
  CHECK(path.status == PathStatus::dead_point);
  CHECK(std::abs(path.reached - 1.6) <= 1e-8);  // 1.2 + 0.5 t = 2
  CHECK(path.points.size() == 7);
  CHECK(path.message().find("found a dead point at 1.6") != std::string::npos);
}

TEST_CASE("drives that contradict each other: the row is named, the bodies keep their velocities") {
  Linkage w;
  const BodyId bar = w.planar_bar({0, 0}, {1, 0});
  w.pin("pin", {0, 0}, bar);
  w.join<VelocityMotor>("slow motor", planar_angle(bar), 2.0);
  Mechanism agreed(w.system);
  REQUIRE(solve_velocities(agreed).met);
  CHECK(w.system.bodies()[bar].velocity()[2] == doctest::Approx(2).epsilon(1e-14));
  w.join<VelocityMotor>("fast motor", planar_angle(bar), 5.0);
  Mechanism contradictory(w.system);
  const RateReport report = solve_velocities(contradictory);
  CHECK(!report.met);
  CHECK(report.at_fault.find("velocity motor \"") == 0);
  CHECK(report.residual > 0.1);
  CHECK(w.system.bodies()[bar].velocity()[2] == doctest::Approx(2).epsilon(1e-14));

  // Of positions: over-constrained, and the path does not start.
  Linkage v;
  const BodyId other = v.planar_bar({0, 0}, {1, 0});
  v.pin("pin", {0, 0}, other);
  v.join<Prescribed>("stop", planar_angle(other), 0.5);
  Mechanism held(v.system);
  const DriveId drive = held.add_drive(planar_angle(other), "drive");
  const PathReport path = follow(held, drive, {.from = 0.5, .to = 1, .step = 0.1});
  CHECK(path.status != PathStatus::reached);
  CHECK(mobility(held).redundant.size() == 1);
  CHECK(path.points.size() == 1);
}

TEST_CASE("motions left free go on as they are, or as little as can be, and springs are left out") {
  Linkage w;
  const BodyId dot = w.system.emplace<Particle>(2.0, Vector3d(1, 0, 0)),
               loose = w.system.emplace<Particle>(1.0, Vector3d(5, 0, 0));
  w.join<PointOnPlane>("plane", Axis{Vector3d::Zero(), Vector3d::UnitZ()}, Anchor{{1, 0, 0}, dot});
  w.join<SpringDamper>("spring", Anchor{{0, 0, 0}}, Anchor{{1, 0, 0}, dot}, SpringProperties{.stiffness = 100});
  Mechanism mechanism(w.system);
  CHECK(mechanism.rows().size() == 1);
  const Mobility now = mobility(mechanism);
  CHECK(now.freedoms == 5);
  REQUIRE(now.loose.size() == 1);
  CHECK(now.loose[0] == loose);

  Eigen::VectorXd given(6);
  given << 1, 2, 3, 4, 5, 6;
  const RateReport near = solve_velocities(mechanism, given);
  REQUIRE(near.met);
  CHECK(near.freedoms == 5);
  given[2] = 0;
  CHECK((near.value - given).norm() <= 1e-15);
  CHECK((mechanism.velocity() - given).norm() <= 1e-15);
  CHECK(solve_accelerations(mechanism).value.norm() <= 1e-15);
  CHECK_THROWS_AS(solve_velocities(mechanism, Eigen::VectorXd::Zero(5)), std::invalid_argument);

  Loads loads(mechanism);
  loads.add_force(dot, Vector3d::Zero(), {0, 0, -7});
  CHECK(static_reactions(mechanism, loads.f()).balanced);
  CHECK(static_reactions(mechanism, loads.f()).reactions[0] == doctest::Approx(7));
  loads.add_force(dot, Vector3d::Zero(), {1, 0, 0});
  CHECK(!static_reactions(mechanism, loads.f()).balanced);
}
