// The saddle point at one instant: closed forms, redundant rows, singular positions, contradictions.

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/user_constraint.hpp>
#include <locdyn/mechanism/smooth/acceleration_solve.hpp>
#include <locdyn/solver/least_norm.hpp>

#include "bodies/random_bodies.hpp"
#include "problems/bricard_loop.hpp"
#include "problems/four_bars.hpp"
#include "problems/pendulum.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;
using std::numbers::pi;

TEST_CASE("a pendulum's acceleration and the tension of its rod") {
  const double angle = 0.7, rate = 1.3, g = Pendulum::kGravity;
  Pendulum pendulum(angle);
  const Vector3d along(std::sin(angle), -std::cos(angle), 0), forward(std::cos(angle), std::sin(angle), 0);
  pendulum.system.bodies()[pendulum.bob].set_velocity(rate * forward);
  const AccelerationReport found = accelerations(pendulum.mechanism, pendulum.loads);
  CHECK(found.met);
  const Vector3d expected = -g * std::sin(angle) * forward - rate * rate * along;
  CHECK((found.acceleration - expected).norm() < 1e-14 * g);
  // The reaction acts along n, from master to slave: a pull is negative.
  CHECK(found.multipliers[0] == doctest::Approx(-(g * std::cos(angle) + rate * rate)).epsilon(1e-14));
  CHECK(found.redundant.empty());
}

TEST_CASE("a body turns by Euler's equations, and every kind by its own forces") {
  testing::Random random(3);
  BodySet bodies;
  for (auto& body : testing::one_of_each(random)) bodies.add(std::move(body));
  Mechanism mechanism(bodies, {});
  const Eigen::VectorXd u = mechanism.velocity();
  const AppliedLoads loads{.gravity = {1, 2, 3}, .add = [](BodySet& set, double) {
                             set[BodyId{0}].add_force({1, 0, 2}, {0, 0, 0});
                             set[BodyId{2}].add_torque({0.3, -0.4, 0.5});
                           }};
  const AccelerationReport found = accelerations(mechanism, loads);
  CHECK(found.met);
  const auto& rigid = dynamic_cast<const RigidBody&>(bodies[BodyId{2}]);
  const Vector3d omega = rigid.velocity().head<3>();
  const Eigen::Matrix3d J = rigid.inertia().topLeftCorner<3, 3>();
  const Vector3d torque = rigid.rotation().transpose() * Vector3d(0.3, -0.4, 0.5);
  const Vector3d expected = J.inverse() * (torque - omega.cross(J * omega));
  CHECK((found.acceleration.segment<3>(6) - expected).norm() < 1e-13 * expected.norm());
  // What a short step gives agrees to first order, whatever the kind.
  loads.add(bodies, 0);
  const double h = 1e-7;
  bodies.predict(h, loads.gravity, Scheme::semi_implicit_euler);
  for (const BodyId id : bodies.ids()) {
    CAPTURE(id);
    const Eigen::VectorXd part = found.acceleration.segment(mechanism.first(id), bodies[id].freedoms());
    const Eigen::VectorXd step = (bodies[id].free_velocity() - bodies[id].velocity()) / h;
    CHECK((step - part).norm() < 1e-5 * (1 + part.norm()));
  }
  CHECK(mechanism.velocity() == u);
}

TEST_CASE("the rate of every configuration is the derivative of `advance`") {
  testing::Random random(4);
  for (auto& body : testing::one_of_each(random)) {
    const Eigen::VectorXd rate = body->kinematics()->configuration_rate(), q = body->configuration();
    const double h = 1e-4;
    body->advance(h);
    const Eigen::VectorXd after = body->configuration();
    body->set_configuration(q);
    body->advance(-h);
    CHECK(((after - body->configuration()) / (2 * h) - rate).norm() < 1e-6 * (1 + rate.norm()));
  }
}

TEST_CASE("redundant rows get the least multipliers, and the motion of independent ones") {
  BricardLoop loop;
  const AccelerationReport found = accelerations(loop.mechanism, loop.loads);
  REQUIRE(found.met);
  CHECK(found.redundant.size() == 1);
  const Eigen::MatrixXd A = inertia(loop.mechanism), G = loop.mechanism.G();
  const Eigen::VectorXd f = smooth_forces(loop.mechanism, loop.loads);
  CHECK((A * found.acceleration - G.transpose() * found.multipliers - f).norm() < 1e-10 * f.norm());
  CHECK((G * found.acceleration).norm() < 1e-10 * f.norm());
  const Eigen::VectorXd least = LeastNorm(G.transpose(), 1e-12).solve(A * found.acceleration - f);
  CHECK((found.multipliers - least).norm() < 1e-9 * least.norm());
  CHECK(found.acceleration.norm() > 1);
}

TEST_CASE("a singular position is told with the row that is lost") {
  FourBars bars(2, 0);
  Accelerations accelerations(bars.mechanism);
  const AccelerationReport upright = accelerations.solve(bars.loads);
  CHECK(upright.rank_lost == 0);
  CHECK(upright.weakest > 0.1);
  CHECK(upright.weakest_row.find("planar revolute joint") == 0);
  // All bars on one line.
  auto lay = [&](BodyId id, double x, double angle) {
    bars.system.bodies()[id].set_configuration(Vector3d(x, 0, angle));
  };
  for (int k = 0; k < 3; ++k) lay(bars.posts[static_cast<std::size_t>(k)], k + 0.5, 0);
  for (int k = 0; k < 2; ++k) lay(bars.couplers[static_cast<std::size_t>(k)], k + 1.5, 0);
  const AccelerationReport flat = accelerations.solve(bars.loads);
  CHECK(flat.rank_lost == 2);
  CHECK(flat.weakest == 0);
  CHECK(flat.weakest_row.find("planar revolute joint \"") == 0);
}

TEST_CASE("drives that ask different things are refused by name, and one drive's force is its torque") {
  const double angle = 0.4;
  Linkage linkage;
  const BodyId bar = linkage.planar_bar({0, 0}, {2 * std::cos(angle), 2 * std::sin(angle)}, 3);
  linkage.pin("bearing", {0, 0}, bar);
  Mechanism mechanism(linkage.system);
  const DriveId drive = mechanism.add_drive(planar_angle(bar), "motor");
  mechanism.set_drive(drive, {.value = 0, .rate = 0, .acceleration = 5});
  const AppliedLoads loads{.gravity = {0, -9.81, 0}};
  const AccelerationReport one = accelerations(mechanism, loads);
  REQUIRE(one.met);
  // About the bearing m l²/3 = 4, and the weight at 1 m.
  CHECK(drive_forces(mechanism, one.multipliers)[0] ==
        doctest::Approx(4 * 5 + 3 * 9.81 * std::cos(angle)).epsilon(1e-13));
  CHECK_THROWS_AS((void)drive_forces(mechanism, Eigen::VectorXd::Zero(2)), std::invalid_argument);

  const DriveId other = mechanism.add_drive(planar_angle(bar), "brake");
  mechanism.set_drive(other, {.value = 0, .rate = 0, .acceleration = -5});
  const AccelerationReport both = accelerations(mechanism, loads);
  CHECK_FALSE(both.met);
  CHECK(both.at_fault.find("drive \"") == 0);
  CHECK(both.residual > 1);
}

TEST_CASE("a skate on a slope: rows posed on velocities alone") {
  // A planar body whose velocity stays along its own x axis, −sin θ ẋ + cos θ ẏ = 0.
  BodySet bodies;
  const double theta = 0.6, v = 1.7, spin = 0.9;
  const BodyId id = bodies.emplace<PlanarBody>(2.0, 0.3, Eigen::Vector2d(0, 0), theta);
  bodies[id].set_velocity(Vector3d(v * std::cos(theta), v * std::sin(theta), spin));
  const auto angle = [id](const BodySet& set) { return dynamic_cast<const PlanarBody&>(set[id]).angle(); };
  UserConstraint skate(
      {id},
      {.rows = 1,
       .C_q =
           [angle](const BodySet& set, double) {
             return Eigen::MatrixXd(Eigen::RowVector3d(-std::sin(angle(set)), std::cos(angle(set)), 0));
           },
       .Cdot_q_u =
           [angle, id](const BodySet& set, double) {
             const Eigen::VectorXd& u = set[id].velocity();
             const double a = angle(set);
             return Eigen::VectorXd(Eigen::VectorXd::Constant(1, -u[2] * (std::cos(a) * u[0] + std::sin(a) * u[1])));
           },
       .name = "skate"});
  skate.attach(bodies);
  Mechanism mechanism(bodies, {{&skate, "blade"}});
  const AccelerationReport found = accelerations(mechanism, {.gravity = {0, -4, 0}});
  REQUIRE(found.met);
  // Along the blade g sinθ slows it; across it turns with v θ̇.
  const Eigen::Vector2d along(std::cos(theta), std::sin(theta)), across(-std::sin(theta), std::cos(theta));
  CHECK(found.acceleration.head<2>().dot(along) == doctest::Approx(-4 * std::sin(theta)).epsilon(1e-13));
  CHECK(found.acceleration.head<2>().dot(across) == doctest::Approx(v * spin).epsilon(1e-13));
  CHECK(found.multipliers[0] == doctest::Approx(2 * (v * spin + 4 * std::cos(theta))).epsilon(1e-13));
}

TEST_CASE("a force that is no number is refused") {
  Pendulum pendulum;
  pendulum.loads.add = [](BodySet& set, double) {
    set[BodyId{0}].add_force({std::numeric_limits<double>::quiet_NaN(), 0, 0}, {0, 0, 0});
  };
  CHECK_THROWS_WITH_AS((void)accelerations(pendulum.mechanism, pendulum.loads),
                       "force: expected a finite number, found nan", std::invalid_argument);
}
