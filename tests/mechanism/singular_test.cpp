// Dead points, change points and redundant rows of linkages.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <locdyn/mechanism/drive_transmission.hpp>
#include <locdyn/mechanism/mobility.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/mechanism/rates.hpp>

#include "linkages.hpp"

using namespace locdyn;
using namespace locdyn::test;
using std::numbers::pi;

TEST_CASE("a four-bar that cannot turn round: both dead points, where coupler and rocker lie in line") {
  const FourBarForm form{.a = 1.5, .b = 1, .c = 1.2, .d = 2};
  const double dead =
      std::acos((form.a * form.a + form.d * form.d - std::pow(form.b + form.c, 2)) / (2 * form.a * form.d));
  for (const double step : {0.01, 0.2, 1.0}) {
    for (const int sign : {1, -1}) {
      CAPTURE(step);
      CAPTURE(sign);
      FourBar bar(form, sign * 0.6);
      const PathReport report = follow(bar.mechanism, bar.drive, {.from = sign * 0.6, .to = sign * 3.0, .step = step});
      REQUIRE(report.status == PathStatus::dead_point);
      CHECK(std::abs(report.reached - sign * dead) <= 1e-10);
      REQUIRE(report.singular.size() == 1);
      CHECK(report.singular[0].kind == SingularPosition::Kind::dead_point);
      CHECK(report.singular[0].value == report.reached);
      const std::vector<std::string>& fault = report.singular[0].constraints;
      CHECK(fault.size() == 5);  // the whole loop and the drive
      CHECK(std::count(fault.begin(), fault.end(), "drive \"crank\"") == 1);
      CHECK(std::count(fault.begin(), fault.end(), "planar revolute joint \"rocker pin\"") == 1);
      CHECK(report.message().find("dead point at") != std::string::npos);
      // The bodies are there: in line, closed, at rest. The drive cannot move them, and says so.
      CHECK(std::abs(std::sin(bar.angle(bar.coupler) - bar.angle(bar.rocker))) <= 1e-7);
      CHECK(bar.mechanism.error().cwiseAbs().maxCoeff() <= 1e-12);
      CHECK(bar.mechanism.velocity().norm() == 0);
      CHECK(!drive_transmission(bar.mechanism).exists);
      for (const PathPoint& point : report.points) CHECK(sign * point.value <= dead);
    }
  }
}

TEST_CASE("a slider-crank driven by its piston: dead at l + r and at l − r, and back again") {
  SliderCrank engine(0.05, 0.16, 1.0);
  const DriveId drive = engine.mechanism.add_drive(engine.stroke(1.0), "piston");
  const PathReport out = follow(engine.mechanism, drive, {.from = engine.x(1.0), .to = 0.25, .step = 0.01});
  CHECK(out.status == PathStatus::dead_point);
  CHECK(std::abs(out.reached - 0.21) <= 1e-12);
  // From the dead point itself there is no way of its own.
  const PathReport stuck = follow(engine.mechanism, drive, {.from = 0.21, .to = 0.15, .step = 0.01});
  CHECK(stuck.status != PathStatus::reached);

  SliderCrank other(0.05, 0.16, 1.0);
  const DriveId piston = other.mechanism.add_drive(other.stroke(1.0), "piston");
  const PathReport in = follow(other.mechanism, piston, {.from = other.x(1.0), .to = 0.1, .step = 0.003});
  CHECK(in.status == PathStatus::dead_point);
  CHECK(std::abs(in.reached - 0.11) <= 1e-12);
}

TEST_CASE("a spatial crank whose rod is too short to go round: dead where rod and rocker are in one plane") {
  SpatialCrankRocker linkage(1.2, 0.8);
  // rod² = x² + (y + c)²
  const auto left = [&](double theta) {
    const double x = linkage.p - linkage.a * std::cos(theta), y = linkage.q - linkage.a * std::sin(theta);
    return x * x + std::pow(y + linkage.c, 2) - linkage.rod * linkage.rod;
  };
  double low = 0, high = pi / 2;
  for (int i = 0; i < 60; ++i) (left(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
  const PathReport report = follow(linkage.mechanism, linkage.drive, {.from = 0, .to = 2 * pi, .step = 0.1});
  CHECK(report.status == PathStatus::dead_point);
  CHECK(std::abs(report.reached - low) <= 1e-10);
}

TEST_CASE("a parallelogram goes through its flat positions, reported, on its own branch") {
  for (const double step : {0.17, pi / 18, pi}) {
    CAPTURE(step);
    const double start = pi / 6;
    Parallelogram linkage(start);
    double turn = 0;
    const PathReport report = follow(
        linkage.mechanism, linkage.drive, {.from = start, .to = start + 2 * pi, .step = step}, [&](const PathPoint&) {
          turn = std::max(turn,
                          std::abs(dynamic_cast<const PlanarBody&>(linkage.system.bodies()[linkage.coupler]).angle()));
        });
    INFO(report.message());
    REQUIRE(report.status == PathStatus::reached);
    CHECK(turn <= 1e-5);  // where it is flat the rows hold the other branch's motion to second order alone
    REQUIRE(report.singular.size() == 2);
    CHECK(std::abs(report.singular[0].value - pi) <= 1e-6);
    CHECK(std::abs(report.singular[1].value - 2 * pi) <= 1e-6);
    for (const SingularPosition& at : report.singular) {
      CHECK(at.kind == SingularPosition::Kind::rank_loss);
      CHECK(!at.constraints.empty());
    }
  }
}

TEST_CASE("redundant rows: a parallelogram with a third bar, named and solved, also from where it does not close") {
  Parallelogram linkage(0.8, true);
  const Mobility now = mobility(linkage.mechanism);
  CHECK(now.coordinates == 12);
  CHECK(now.rows == 13);
  CHECK(now.rank == 12);
  CHECK(now.freedoms == 0);
  REQUIRE(now.redundant.size() == 1);
  CHECK(now.redundant[0].row.find("planar revolute joint \"") == 0);
  CHECK(now.redundant[0].others.size() >= 4);
  CHECK(now.loose.empty());

  double worst = 0;
  const PathReport report = follow(
      linkage.mechanism, linkage.drive, {.from = 0.8, .to = 2.4, .step = 0.1, .rate = 3}, [&](const PathPoint& at) {
        const Vector3d v = linkage.system.bodies()[linkage.coupler].velocity();
        worst = std::max(worst, (v - 3 * Vector3d(-std::sin(at.value), std::cos(at.value), 0)).norm());
        const RateReport a = solve_accelerations(linkage.mechanism);
        REQUIRE(a.met);
        const Vector3d expected = -9 * Vector3d(std::cos(at.value), std::sin(at.value), 0);
        worst = std::max(worst, (a.value.segment<3>(linkage.mechanism.first(linkage.coupler)) - expected).norm());
      });
  REQUIRE(report.status == PathStatus::reached);
  CHECK(worst <= 1e-11);

  // Disturbed, it closes again, to rounding.
  for (const double size : {1e-8, 1e-5, 1e-2, 0.1}) {
    CAPTURE(size);
    Eigen::VectorXd d(12);
    for (int i = 0; i < 12; ++i) d[i] = size * std::sin(3 * i + 1);
    linkage.mechanism.displace(d);
    const CloseReport closing = close(linkage.mechanism);
    INFO(closing.message());
    CHECK(closing.closed());
    CHECK(closing.residual <= 1e-12);
    CHECK(closing.iterations <= 12);
    CHECK(closing.moved <= 10 * size);
  }
}

TEST_CASE("a planar four-bar of spatial hinges: three redundant rows, the same motion") {
  const FourBarForm form{.a = 1, .b = 2.6, .c = 2.2, .d = 2.9};
  SpatialFourBar spatial(form, 0.7);
  const Mobility now = mobility(spatial.mechanism);
  CHECK(now.rows == 21);
  CHECK(now.rank == 18);
  CHECK(now.redundant.size() == 3);
  for (const RepeatedRow& row : now.redundant) {
    CHECK(row.row.find("hinge") == 0);
    CHECK(!row.others.empty());
  }
  spatial.mechanism.release(spatial.drive);
  CHECK(mobility(spatial.mechanism).freedoms == 1);
  const Eigen::MatrixXd Z = free_motions(spatial.mechanism);
  REQUIRE(Z.cols() == 1);
  CHECK((spatial.mechanism.G() * Z).norm() <= 1e-13);
  spatial.mechanism.hold(spatial.drive);

  double worst = 0, rate = 0;
  const PathReport report = follow(
      spatial.mechanism, spatial.drive, {.from = 0.7, .to = 0.7 + 2 * pi, .step = pi / 18}, [&](const PathPoint& at) {
        const FourBarForm::Answer q = form.at(at.value);
        const Body& coupler = spatial.system.bodies()[spatial.bars[1]];
        worst = std::max(worst, (coupler.to_space({form.b / 2, 0, 0}) - Linkage::in_space(q.B)).norm());
        const RateReport a = solve_accelerations(spatial.mechanism);
        REQUIRE(a.met);
        rate = std::max({rate, std::abs(coupler.velocity()[2] - q.coupler_1),
                         std::abs(a.value[spatial.mechanism.first(spatial.bars[1]) + 2] - q.coupler_2)});
      });
  REQUIRE(report.status == PathStatus::reached);
  CHECK(report.singular.empty());
  CHECK(worst <= 1e-12);
  CHECK(rate <= 1e-11);
}

TEST_CASE("Bricard's linkage moves with thirty rows on thirty velocities: one is redundant, and it closes to 1e-12") {
  Bricard linkage;
  linkage.mechanism.release(linkage.drive);
  const Mobility now = mobility(linkage.mechanism);
  CHECK(now.coordinates == 30);
  CHECK(now.rows == 30);
  CHECK(now.freedoms == 1);
  REQUIRE(now.redundant.size() == 1);
  CHECK(now.redundant[0].row.find("hinge \"hinge ") == 0);
  CHECK(now.redundant[0].others.size() >= 10);
  linkage.mechanism.hold(linkage.drive);
  double worst = 0;
  const PathReport there = follow(linkage.mechanism, linkage.drive, {.from = 0, .to = 0.5, .step = 0.05},
                                  [&](const PathPoint& at) { worst = std::max(worst, at.residual); });
  INFO(there.message());
  CHECK(there.status == PathStatus::reached);
  CHECK(worst <= 1e-12);

  // The other way the hinge comes to its extreme: 30° below the square.
  const PathReport back = follow(linkage.mechanism, linkage.drive, {.from = 0.5, .to = -1.5, .step = 0.1});
  CHECK(back.status == PathStatus::dead_point);
  CHECK(std::abs(back.reached + pi / 6) <= 1e-10);
}
