// Paths of linkages over a driven coordinate, against closed forms.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <locdyn/mechanism/drive_transmission.hpp>
#include <locdyn/mechanism/loads.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/mechanism/rates.hpp>

#include "linkages.hpp"

using namespace locdyn;
using namespace locdyn::test;
using std::numbers::pi;

namespace {

constexpr double kDegree = pi / 180;

double turned(double from, double to) {
  return std::remainder(to - from, 2 * pi);
}

}  // namespace

TEST_CASE("four-bar of points with a coupler point: known places all round, torque and power") {
  FourBarOfPoints bar;
  std::vector<Vector3d> p4;
  std::vector<double> torque, power;
  const Vector3d force(9.81, -9.81, 0);
  const double rate = 500 * 2 * pi / 60;  // 500 turns a minute
  const PathReport report = follow(bar.mechanism, bar.drive,
                                   {.from = -170 * kDegree, .to = 180 * kDegree, .step = 10 * kDegree, .rate = rate},
                                   [&](const PathPoint& point) {
                                     CHECK(point.residual <= 1e-12);
                                     p4.push_back(bar.at(bar.p4));
                                     if (p4.size() == 1)
                                       CHECK((bar.at(bar.p2) - Vector3d(2.985216, 1.723431, 0)).norm() <= 1e-6);
                                     Loads loads(bar.mechanism);
                                     loads.add_force(*bar.p4.body, Vector3d::Zero(), force);
                                     const DriveTransmission transmission = drive_transmission(bar.mechanism);
                                     CHECK(transmission.exists);
                                     torque.push_back(drive_loads(transmission, loads.f())[0]);
                                     power.push_back(loads.power());
                                     // The drive that holds the load, by the reactions of all rows.
                                     const StaticReport still = static_reactions(bar.mechanism, loads.f());
                                     CHECK(still.balanced);
                                     CHECK(still.drives[0] == doctest::Approx(-torque.back()).epsilon(1e-12));
                                   });
  INFO(report.message());
  REQUIRE(report.status == PathStatus::reached);
  CHECK(report.singular.empty());
  REQUIRE(p4.size() == 36);
  const auto place = [](int degrees) { return static_cast<std::size_t>((degrees + 170) / 10); };
  const auto near = [&](int degrees, double x, double y) {
    return (p4[place(degrees)] - Vector3d(x, y, 0)).norm() <= 1e-6;
  };
  CHECK(near(-170, 0.642643, -2.693848));
  CHECK(near(-60, 2.724248, -2.879163));
  CHECK(near(0, 2.499271, -2.598497));
  CHECK(near(90, 1.034255, -1.816082));
  CHECK(near(170, 0.463326, -2.453691));

  // Central differences over ±10°, per degree, as published; then what the analytic torque is.
  const std::vector<double> published = {0.246161, 0.254700, 0.255456, 0.248916, 0.235869,
                                         0.217285, 0.194156, 0.167315, 0.137219};
  for (int k = 0; k < 9; ++k) {
    const int degrees = -160 + 10 * k;
    CHECK(force.dot(p4[place(degrees + 10)] - p4[place(degrees - 10)]) / 20 ==
          doctest::Approx(published[static_cast<std::size_t>(k)]).epsilon(3e-6));
  }
  CHECK(torque[place(-160)] * kDegree == doctest::Approx(0.247489).epsilon(3e-6));
  CHECK(torque[place(-160)] == doctest::Approx(14.1801).epsilon(1e-5));
  CHECK(power[place(-160)] == doctest::Approx(torque[place(-160)] * rate).epsilon(1e-12));
  CHECK(published[0] / kDegree * rate == doctest::Approx(738.48).epsilon(1e-5));
  CHECK(power[place(-160)] == doctest::Approx(742.47).epsilon(1e-5));
}

TEST_CASE("crank-rocker: Freudenstein's equation over two turns, velocities and accelerations, whatever the masses") {
  for (const double mass : {1.0, 1e-6, 1e6}) {
    CAPTURE(mass);
    const FourBarForm form{.a = 1, .b = 2.6, .c = 2.2, .d = 2.9};
    FourBar bar(form, 0.3, mass);
    const double rate = 7;
    double angle = 0, places = 0, velocity = 0, acceleration = 0, point = 0;
    const PathReport report = follow(
        bar.mechanism, bar.drive, {.from = 0.3, .to = 0.3 + 4 * pi, .step = pi / 18, .rate = rate},
        [&](const PathPoint& at) {
          const FourBarForm::Answer q = form.at(at.value);
          angle = std::max({angle, std::abs(turned(q.rocker, bar.angle(bar.rocker))),
                            std::abs(turned(q.coupler, bar.angle(bar.coupler)))});
          const Vector3d B = Linkage::in_space(q.B);
          places = std::max(places, (bar.end_of_coupler() - B).norm());
          const Eigen::VectorXd u = bar.mechanism.velocity();
          velocity = std::max({velocity, std::abs(u[5] - rate * q.coupler_1), std::abs(u[8] - rate * q.rocker_1)});
          const RateReport a = solve_accelerations(bar.mechanism);
          REQUIRE(a.met);
          const double w2 = rate * rate;
          acceleration = std::max({acceleration, std::abs(a.value[5] - w2 * q.coupler_2) / w2,
                                   std::abs(a.value[8] - w2 * q.rocker_2) / w2});
          // B on the rocker's circle: −ψ̇² r + ψ̈ e_z × r.
          const Vector3d r = B - Vector3d(form.d, 0, 0);
          const Vector3d expected = w2 * (q.rocker_2 * Vector3d::UnitZ().cross(r) - q.rocker_1 * q.rocker_1 * r);
          point = std::max(
              point,
              (point_acceleration(bar.mechanism, bar.coupler, {form.b / 2, 0, 0}, a.value) - expected).norm() / w2);
        });
    REQUIRE(report.status == PathStatus::reached);
    CHECK(report.points.size() == 73);
    CHECK(report.steps == 72);
    CHECK(report.halvings == 0);  // 10° are no great step
    CHECK(report.singular.empty());
    CHECK(bar.mechanism.drive_value(bar.drive) == doctest::Approx(0.3 + 4 * pi).epsilon(1e-14));  // turns are counted
    // Rounding times the conditioning of the linkage.
    const double loose = mass == 1 ? 1 : 10;
    CHECK(angle <= 1e-12 * loose);
    CHECK(places <= 1e-12 * loose);
    CHECK(velocity <= 1e-11 * loose);
    CHECK(acceleration <= 1e-11 * loose);
    CHECK(point <= 1e-11 * loose);
  }
}

TEST_CASE("both branches of a four-bar are kept, forwards and backwards, and coarse steps are halved") {
  for (const int branch : {1, -1}) {
    CAPTURE(branch);
    // Nearly a change point: the branches come close to each other.
    const FourBarForm form{.a = 1, .b = 2.2, .c = 2, .d = 3.1, .branch = branch};
    FourBar bar(form, 0.5);
    double worst = 0;
    const auto watch = [&](const PathPoint& at) {
      worst = std::max(worst, (bar.end_of_coupler() - Linkage::in_space(form.at(at.value).B)).norm());
    };
    const PathReport there = follow(bar.mechanism, bar.drive, {.from = 0.5, .to = 7.5, .step = 1}, watch);
    const PathReport back = follow(bar.mechanism, bar.drive, {.from = 7.5, .to = -6.5, .step = 0.5}, watch);
    REQUIRE(there.status == PathStatus::reached);
    REQUIRE(back.status == PathStatus::reached);
    CHECK(there.points.size() == 8);
    CHECK(there.halvings > 0);
    CHECK(worst <= 1e-11);
  }
}

TEST_CASE("slider-crank: position, velocity, acceleration of the piston") {
  SliderCrank engine(0.05, 0.16, 0.4);
  const DriveId drive = engine.mechanism.add_drive(engine.crank_angle(0.4), "crank");
  const double rate = 300;
  double position = 0, velocity = 0, acceleration = 0;
  const auto piston = engine.mechanism.first(engine.piston);
  const PathReport report = follow(
      engine.mechanism, drive, {.from = 0.4, .to = 0.4 + 2 * pi, .step = pi / 60, .rate = rate},
      [&](const PathPoint& at) {
        position = std::max(position, std::abs(engine.system.bodies()[engine.piston].to_space(Vector3d::Zero()).x() -
                                               engine.x(at.value)));
        velocity = std::max(velocity, std::abs(engine.mechanism.velocity()[piston] - rate * engine.x_1(at.value)));
        const RateReport a = solve_accelerations(engine.mechanism);
        acceleration = std::max(acceleration, std::abs(a.value[piston] - rate * rate * engine.x_2(at.value)));
      });
  REQUIRE(report.status == PathStatus::reached);
  CHECK(position <= 1e-13);
  CHECK(velocity <= 1e-11);     // of 17 m/s
  CHECK(acceleration <= 1e-8);  // of 6e3 m/s²
}

TEST_CASE("quick return: angle, velocity and acceleration of the arm, its time ratio") {
  for (const double below : {0.5, 0.2}) {  // the arm swings; the arm goes round (Whitworth)
    CAPTURE(below);
    QuickReturn shaper(0.3, below);
    const double start = shaper.at(0).angle;
    double angle = 0, velocity = 0, acceleration = 0, forwards = 0;
    const PathReport report =
        follow(shaper.mechanism, shaper.drive, {.from = 0, .to = 2 * pi, .step = pi / 180}, [&](const PathPoint& at) {
          const QuickReturn::Answer q = shaper.at(at.value);
          const auto& arm = dynamic_cast<const PlanarBody&>(shaper.system.bodies()[shaper.arm]);
          angle = std::max(angle, std::abs(turned(q.angle - start, arm.angle() - std::atan2(below, 0.3))));
          velocity = std::max(velocity, std::abs(arm.velocity()[2] - q.first));
          const RateReport a = solve_accelerations(shaper.mechanism);
          acceleration = std::max(acceleration, std::abs(a.value[shaper.mechanism.first(shaper.arm) + 2] - q.second));
          if (arm.velocity()[2] > 0) forwards += 1;
        });
    REQUIRE(report.status == PathStatus::reached);
    CHECK(angle <= 1e-12);
    CHECK(velocity <= 1e-11);
    CHECK(acceleration <= 1e-10);
    // It goes forwards over 2 acos(−r/h) of crank, and only forwards where it goes round.
    const double expected = below > 0.3 ? 2 * std::acos(-0.3 / below) / kDegree : 361;
    CHECK(std::abs(forwards - expected) <= 1.5);
  }
}

TEST_CASE("universal joint: the speed ratio cos β/(1 − sin² β cos² θ), with redundant bearings") {
  Cardan shaft(35 * kDegree);
  const double sine = std::sin(shaft.beta), cosine = std::cos(shaft.beta);
  double worst = 0, position = 0;
  const PathReport report =
      follow(shaft.mechanism, shaft.drive, {.from = 0, .to = 2 * pi, .step = pi / 36}, [&](const PathPoint& at) {
        const DriveTransmission transmission = drive_transmission(shaft.mechanism);
        REQUIRE(transmission.exists);
        const Eigen::MatrixXd J = effector_jacobian(shaft.mechanism, transmission, shaft.driven, Vector3d::Zero());
        const double ratio = cosine / (1 - std::pow(sine * std::cos(at.value), 2));
        worst = std::max(worst, (J.bottomRows<3>() - ratio * shaft.second).norm());
        position =
            std::max(position, (J.topRows<3>() - ratio * shaft.second.cross(Vector3d(-0.5 * shaft.second))).norm());
      });
  REQUIRE(report.status == PathStatus::reached);
  CHECK(worst <= 1e-12);
  CHECK(position <= 1e-12);
}

TEST_CASE("spatial crank and rocker with two ball joints: the rocker's angle and its speed") {
  const double psi = 1.6;
  SpatialCrankRocker linkage(psi, 1.2);
  double angle = 0, speed = 0;
  const PathReport report =
      follow(linkage.mechanism, linkage.drive, {.from = 0, .to = 2 * pi, .step = pi / 36}, [&](const PathPoint& at) {
        const auto [expected, first] = linkage.at(at.value);
        const Eigen::VectorXd u = linkage.system.bodies()[linkage.rocker].velocity();
        const auto& rocker = dynamic_cast<const RigidBody&>(linkage.system.bodies()[linkage.rocker]);
        const Eigen::Matrix3d Q = rocker.rotation();
        angle = std::max(angle, std::abs(turned(expected - psi, std::atan2(Q(2, 1), Q(1, 1)))));
        speed = std::max(speed, std::abs(u[0] - first));
      });
  REQUIRE(report.status == PathStatus::reached);
  CHECK(angle <= 1e-12);
  CHECK(speed <= 1e-11);
}
