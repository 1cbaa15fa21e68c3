// Positions from where nothing closes yet, least displacements, and what cannot close.

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <vector>

#include <locdyn/bodies/massless_coordinate.hpp>
#include <locdyn/mechanism/closing.hpp>
#include <locdyn/mechanism/mobility.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/ldy/assembly/constraints/planar/cam.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/user_constraint.hpp>

#include "linkages.hpp"

using namespace locdyn;
using namespace locdyn::test;
using std::numbers::pi;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string fault(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

// Two particles 3 m apart on a link of 1 m.
struct Pair : Linkage {
  BodyId light = system.emplace<Particle>(1.0, Vector3d(0, 0, 0)),
         heavy = system.emplace<Particle>(9.0, Vector3d(0, 3, 0));
  Pair() { join<RigidLink>("link", Anchor{{0, 0, 0}, light}, Anchor{{0, 3, 0}, heavy}, 1); }
  [[nodiscard]] Vector3d at(BodyId id) const { return system.bodies()[id].to_space(Vector3d::Zero()); }
};

}  // namespace

TEST_CASE("the least displacement: by how far bodies go, or by what impulses would do") {
  Pair by_length;
  Mechanism one(by_length.system);
  const CloseReport closing = close(one);
  CHECK(closing.closed());
  CHECK(closing.iterations == 1);
  CHECK(closing.residual == 0);
  CHECK(closing.freedoms == 5);
  CHECK(closing.moved == doctest::Approx(1));
  CHECK(closing.message().empty());
  CHECK((by_length.at(by_length.light) - Vector3d(0, 1, 0)).norm() <= 1e-15);
  CHECK((by_length.at(by_length.heavy) - Vector3d(0, 2, 0)).norm() <= 1e-15);

  Pair by_mass;
  Mechanism other(by_mass.system, Metric::kinetic);
  CHECK(close(other).closed());
  CHECK((by_mass.at(by_mass.light) - Vector3d(0, 1.8, 0)).norm() <= 1e-15);  // nine tenths of the way
  CHECK((by_mass.at(by_mass.heavy) - Vector3d(0, 2.8, 0)).norm() <= 1e-15);
}

TEST_CASE("the rows of a joint are found by its name") {
  Linkage w;
  const BodyId bar = w.planar_bar({0, 0}, {1, 0});
  w.pin("pin", {0, 0}, bar);
  w.join<PlanarPointOnLine>("slot", Axis{Vector3d::Zero(), Vector3d::UnitX()}, Anchor{{1, 0, 0}, bar});
  const Mechanism mechanism(w.system);
  CHECK(mechanism.rows_of("pin") == std::vector<Eigen::Index>{0, 1});
  CHECK(mechanism.rows_of("slot") == std::vector<Eigen::Index>{2});
  CHECK(fault([&] { (void)mechanism.rows_of("pni"); }) ==
        "mechanism: expected the name of a joint with rows, found \"pni\"");
}

TEST_CASE("a turn counts as far as it moves a body's points") {
  // A square plate of gyration radius ρ, whose corner must come to y = 0: (δ, θ) minimise δ² + ρ² θ² to first order.
  Linkage w;
  const double rho = 0.5, reach = 2, error = 1e-6;
  const BodyId plate = w.system.emplace<PlanarBody>(3.0, 3 * rho * rho, Vector2d(0, error));
  w.join<PlanarPointOnLine>("line", Axis{Vector3d::Zero(), Vector3d::UnitX()}, Anchor{{reach, error, 0}, plate});
  Mechanism mechanism(w.system);
  CHECK(close(mechanism).closed());
  const auto& body = dynamic_cast<const PlanarBody&>(w.system.bodies()[plate]);
  const double share = 1 / (1 + reach * reach / (rho * rho));
  CHECK(body.position().y() == doctest::Approx(error * (1 - share)).epsilon(1e-5));
  CHECK(body.angle() == doctest::Approx(-error * share * reach / (rho * rho)).epsilon(1e-5));
}

TEST_CASE("a four-bar thrown about is put together again, from a thousand starts") {
  std::mt19937 generator(7);
  std::normal_distribution<double> any;
  const FourBarForm form{.a = 1, .b = 2.6, .c = 2.2, .d = 2.9};
  int closed = 0, damped = 0, most = 0;
  for (int start = 0; start < 1000; ++start) {
    FourBar bar(form, 0.3);
    bar.mechanism.displace(Eigen::VectorXd::NullaryExpr(9, [&](Eigen::Index) { return any(generator); }));
    const CloseReport closing = close(bar.mechanism);
    closed += closing.closed() ? 1 : 0;
    damped += closing.damped > 0 ? 1 : 0;
    most = std::max(most, closing.iterations);
    if (closing.closed()) {
      CHECK(closing.residual <= 1e-11);
    } else {
      // A true least residual: downhill there is nothing.
      CHECK(closing.status == CloseStatus::least_residual);
      bar.mechanism.evaluate();
      const Eigen::VectorXd C = bar.mechanism.error();
      CHECK((bar.mechanism.G().transpose() * C).norm() <= 1e-3 * C.norm());
    }
  }
  MESSAGE("closed ", closed, " of 1000, damped ", damped, ", at most ", most, " iterations");
  CHECK(closed >= 900);
  CHECK(damped > 0);
}

TEST_CASE("a link too short to close: the least residual, its row by name, bodies of a path where they were") {
  // p0 – p3 – p2 – p1 in line over 4 m: 1 + 0.5 + 2 m of links lack 0.5 m, shared by three rows.
  Linkage w;
  Anchor p2{{3, 0.4, 0}}, p3{{0.6, 0.5, 0}};
  for (Anchor* p : {&p2, &p3}) p->body = w.system.emplace<Particle>(1.0, p->point);
  const Anchor p0{{0, 0, 0}}, p1{{4, 0, 0}};
  w.join<RigidLink>("crank", p0, p3, 1);
  w.join<RigidLink>("coupler", p3, p2, 0.5);
  w.join<RigidLink>("rocker", p1, p2, 2);
  Mechanism mechanism(w.system);
  const DriveId drive = mechanism.add_drive(signed_angle({p0, p1}, {p0, p3}), "crank angle");
  mechanism.set_drive(drive, {.value = 0});
  const MechanismState before = mechanism.state();
  const CloseReport closing = close(mechanism);
  CHECK(closing.status == CloseStatus::least_residual);
  CHECK(closing.residual == doctest::Approx(0.5 / 3).epsilon(1e-4));
  CHECK(closing.worst_row.find("rigid link \"") == 0);
  CHECK(closing.message().find("found a residual of 0.1666") != std::string::npos);
  CHECK(closing.message().find("does not close") != std::string::npos);

  mechanism.restore(before);
  const PathReport path = follow(mechanism, drive, {.from = 0, .to = 1, .step = 0.1});
  CHECK(path.status == PathStatus::does_not_close);
  CHECK(std::isnan(path.reached));
  CHECK(path.points.empty());
  CHECK(path.rejected.residual == doctest::Approx(0.5 / 3).epsilon(1e-4));
  CHECK(path.message().find("found none to start from: mechanism: expected a configuration that closes") !=
        std::string::npos);
  CHECK(mechanism.state().q[*p2.body] == before.q[*p2.body]);
}

TEST_CASE("an eccentric disc under a flat follower: y = R + e sin θ over a turn, with surface parameters") {
  Linkage w;
  const double R = 0.05, e = 0.02;
  const BodyId disc = w.system.emplace<PlanarBody>(1.0, 1e-3, Vector2d(0, 0));
  const BodyId follower = w.system.emplace<PlanarBody>(0.3, 1e-4, Vector2d(0, R));
  const BodyId s = w.system.emplace<MasslessCoordinate>(pi / 2), x = w.system.emplace<MasslessCoordinate>(e);
  using V = Vector2d;
  const PlaneCurve circle{[=](double a) { return V(e + R * std::cos(a), R * std::sin(a)); },
                          [=](double a) { return V(-R * std::sin(a), R * std::cos(a)); },
                          [=](double a) { return V(-R * std::cos(a), -R * std::sin(a)); }};
  const PlaneCurve flat{[](double a) { return V(a, 0); }, [](double) { return V(1, 0); },
                        [](double) { return V(0, 0); }};
  w.pin("shaft", {0, 0}, disc);
  w.join<PlanarPrismatic>("guide", Axis{{0, R, 0}, Vector3d::UnitY()}, Axis{{0, R, 0}, Vector3d::UnitY(), follower});
  w.join<Cam>("cam", CamSide{disc, circle, s}, CamSide{follower, flat, x});
  Mechanism mechanism(w.system);
  const DriveId drive = mechanism.add_drive(planar_angle(disc), "shaft angle");
  double lift = 0, velocity = 0;
  const PathReport path =
      follow(mechanism, drive, {.from = 0, .to = 2 * pi, .step = pi / 18}, [&](const PathPoint& at) {
        const Body& body = w.system.bodies()[follower];
        lift = std::max(lift, std::abs(body.to_space(Vector3d::Zero()).y() - (R + e * std::sin(at.value))));
        velocity = std::max(velocity, std::abs(body.velocity()[1] - e * std::cos(at.value)));
      });
  INFO(path.message());
  REQUIRE(path.status == PathStatus::reached);
  CHECK(lift <= 1e-13);
  CHECK(velocity <= 1e-13);
}

TEST_CASE("what has no meaning is refused in one line that names it, and the bodies stay") {
  const FourBarForm form{.a = 1, .b = 2.6, .c = 2.2, .d = 2.9};
  FourBar bar(form, 0.3);
  Mechanism& m = bar.mechanism;
  CHECK(fault([&] { close(m, {.tolerance = 0}); }) == "tolerance: expected a finite number > 0, found 0");
  CHECK(fault([&] { close(m, {.max_iterations = -1}); }) == "max_iterations: expected a number >= 0, found -1");
  CHECK(fault([&] { close(m, {.max_turn = kNaN}); }).find("max_turn") == 0);
  CHECK(fault([&] { follow(m, bar.drive, {.from = 0, .to = 1}); }).find("step: expected") == 0);
  CHECK(fault([&] { follow(m, bar.drive, {.to = kNaN, .step = 1}); }).find("to: expected") == 0);
  CHECK(fault([&] { follow(m, bar.drive, {.to = 1, .step = 1, .branch = 1}); }) ==
        "branch: expected a number in (0, 1), found 1");
  CHECK(fault([&] { follow(m, bar.drive, {.to = 1, .step = 1, .smallest_step = 0}); }).find("smallest_step") == 0);
  CHECK(fault([&] { m.set_drive(bar.drive, {.value = kNaN}); }).find(": value: expected a finite number, found nan") !=
        std::string::npos);
  CHECK(fault([&] { m.set_velocity(Eigen::VectorXd::Zero(3)); }) == "mechanism: velocity: expected 9 numbers, found 3");
  CHECK(fault([&] { Mechanism(bar.system.bodies(), {MechanismMember{}}); }) ==
        "mechanism: expected constraints, found a null pointer at place 0");
  CHECK(fault([&] { m.restore({}); }).find("mechanism: state: expected") == 0);
  CHECK_THROWS_AS((void)m.drive(1), std::out_of_range);
  m.release(bar.drive);
  CHECK(fault([&] { follow(m, bar.drive, {.to = 1, .step = 1}); }) ==
        "path: expected a drive that is held, found drive 0 released");

  // A function of a user that fails on the way: its name, and everything as it was.
  Linkage w;
  const BodyId dot = w.system.emplace<Particle>(1.0, Vector3d(1, 0, 0));
  UserFunctions circle{
      .C =
          [=](const BodySet& bodies, double) {
            const Vector3d p = bodies[dot].to_space(Vector3d::Zero());
            return Eigen::VectorXd::Constant(1, p.y() > 0.5 ? kNaN : 0.5 * (p.squaredNorm() - 1)).eval();
          },
      .C_q = [=](const BodySet& bodies, double) -> Eigen::MatrixXd {
        return bodies[dot].to_space(Vector3d::Zero()).transpose();
      },
      .Cdot_q_u = [=](const BodySet& bodies, double) -> Eigen::VectorXd {
        return Eigen::VectorXd::Constant(1, bodies[dot].velocity().squaredNorm());
      },
      .name = "my circle"};
  w.join<UserConstraint>("round", std::vector<BodyId>{dot}, circle);
  Mechanism mine(w.system);
  const DriveId height =
      mine.add_drive(axis_displacement({Vector3d::Zero(), Vector3d::UnitY()}, {{1, 0, 0}, dot}), "height");
  const MechanismState before = mine.state();
  const std::string message = fault([&] { follow(mine, height, {.from = 0, .to = 0.9, .step = 0.1}); });
  CHECK(message.find("my circle \"round\"") == 0);
  CHECK(mine.state().q[dot] == before.q[dot]);
  CHECK(mine.drive(height).motion().value == 0);

  // The same with a wrong Jacobian: named, with the numbers.
  CHECK(wrong_derivatives(mine).empty());
  circle.C_q = [=](const BodySet& bodies, double) -> Eigen::MatrixXd {
    return 2 * bodies[dot].to_space(Vector3d::Zero()).transpose();
  };
  w.join<UserConstraint>("twice", std::vector<BodyId>{dot}, circle);
  Mechanism wrong(w.system);
  const std::vector<std::string> lines = wrong_derivatives(wrong);
  REQUIRE(!lines.empty());
  INFO(lines[0]);
  CHECK(lines[0].find("my circle \"twice\": H: row ") == 0);
  CHECK(lines[0].find(", velocity 0 of body 0: expected 1, found 2") != std::string::npos);
}
