// Joints in motions with a closed form, by dense solves.

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include <locdyn/bodies/massless_coordinate.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/driven/rolling_wheel.hpp>
#include <locdyn/ldy/assembly/constraints/planar/cam.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/ldy/assembly/derivative_check.hpp>

#include "world.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using Eigen::Vector3d;
using locdyn::test::World;
using std::numbers::pi;

namespace {

const Vector3d kX = Vector3d::UnitX(), kY = Vector3d::UnitY(), kZ = Vector3d::UnitZ(), kZero = Vector3d::Zero();

// u̇ such that H u̇ + bias = 0 for all constraints, under gravity: (A Hᵀ; H 0), least squares.
Eigen::VectorXd accelerations(World& w, const std::vector<Constraint*>& constraints) {
  const test::DenseBodies dense(w.bodies);
  const Eigen::Index n = dense.A.rows();
  Eigen::MatrixXd H(0, n);
  Eigen::VectorXd bias(0);
  for (Constraint* constraint : constraints) {
    const ConstraintRows rows = constraint_rows(*constraint, w.bodies);
    const Eigen::Index first = H.rows();
    H.conservativeResize(first + rows.H.rows(), Eigen::NoChange);
    H.bottomRows(rows.H.rows()).setZero();
    Eigen::Index column = 0;
    for (BodyId id : constraint->bodies()) {
      const int k = w.bodies[id].freedoms();
      H.block(first, dense.first[id], rows.H.rows(), k) = rows.H.middleCols(column, k);
      column += k;
    }
    bias.conservativeResize(first + rows.H.rows());
    bias.tail(rows.H.rows()) = rows.bias;
  }
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + H.rows(), n + H.rows());
  K << dense.A, -H.transpose(), H, Eigen::MatrixXd::Zero(H.rows(), H.rows());
  Eigen::VectorXd f = Eigen::VectorXd::Zero(n);
  for (const BodyId id : w.bodies.ids()) {
    const int k = w.bodies[id].freedoms();
    if (k == 6) f.segment<3>(dense.first[id] + 3) = w.bodies[id].mass() * w.gravity;
    if (k == 3) f.segment<2>(dense.first[id]) = w.bodies[id].mass() * w.gravity.head<2>();
  }
  Eigen::VectorXd right(n + H.rows());
  right << f, -bias;
  return K.fullPivLu().solve(right).head(n);
}

}  // namespace

namespace {

const MassProperties kRod = box_mass(1000, {2, 0.02, 0.04});  // along x

struct Pendulum : World {
  BodyId wall = bodies.emplace<Obstacle>();
  BodyId bar = bodies.emplace<RigidBody>(kRod, kX);
  ConstraintId hinge = assembly.emplace<Hinge>(Axis{kZero, kY, wall}, Axis{kZero, kY, bar});

  explicit Pendulum(double omega) {
    gravity = {0, 0, -9.81};
    bodies[bar].set_velocity((Eigen::VectorXd(6) << 0, omega, 0, 0, 0, -omega).finished());
  }
  [[nodiscard]] double energy() const { return bodies.kinetic_energy() + bodies.potential_energy(gravity); }
};

}  // namespace

TEST_CASE("a hinged bar: the acceleration of a compound pendulum, the centripetal one, C to 1e-12 after projection") {
  const double omega = 1.5;
  Pendulum now(omega);
  const Eigen::VectorXd a = accelerations(now, {&now.assembly.constraint(now.hinge)});
  const double alpha = kRod.mass * 9.81 / (kRod.inertia(1, 1) + kRod.mass);
  CHECK(a[1] == doctest::Approx(alpha).epsilon(1e-12));
  CHECK(a[3] == doctest::Approx(-omega * omega).epsilon(1e-12));  // towards the hinge
  CHECK(a[5] == doctest::Approx(-alpha).epsilon(1e-12));

  const auto energy_error = [&](double h) {
    Pendulum w(omega);
    const double energy = w.energy();
    for (int i = 0; i < std::lround(1 / h); ++i) {
      w.step(h);
      w.project();
      REQUIRE(w.position_error() <= 1e-12);
    }
    return std::abs(w.energy() - energy);
  };
  const double coarse = energy_error(0.004), fine = energy_error(0.002);
  CHECK(coarse <= 0.03 * kRod.mass * 9.81 * 2);             // of the range of potential energy
  CHECK(coarse / fine == doctest::Approx(2).epsilon(0.1));  // projection of positions alone is of the first order
}

TEST_CASE("a nut on a screw falls as one of mass m + J (2π/p)², over many turns") {
  World w;
  w.gravity = {0, 0, -9.81};
  const double pitch = 0.05, h = 1e-3;
  const MassProperties nut = box_mass(7800, {0.1, 0.1, 0.05});
  const BodyId id = w.bodies.emplace<RigidBody>(nut, kZero);
  w.assembly.emplace<Screw>(Axis{kZero, kZ}, Axis{kZero, kZ, id}, pitch);
  for (int i = 0; i < 1000; ++i) {
    w.step(h);
    w.project();
  }
  const double ratio = 2 * pi / pitch;
  const double acceleration = 9.81 * nut.mass / (nut.mass + nut.inertia(2, 2) * ratio * ratio);
  const double z = w.bodies[id].to_space(kZero).z();
  CHECK(z == doctest::Approx(-0.5 * acceleration).epsilon(2e-3));  // the scheme's first half step is at rest
  CHECK(std::abs(z) > 3 * pitch);                                  // turns were counted
  CHECK(w.position_error() <= 1e-12);
}

TEST_CASE("planar gears keep their ratio over hundreds of turns") {
  World w;
  const BodyId ground = w.bodies.emplace<Obstacle>();
  const BodyId a = w.bodies.emplace<PlanarBody>(1.0, 0.02, Eigen::Vector2d(0, 0));
  const BodyId b = w.bodies.emplace<PlanarBody>(1.0, 0.05, Eigen::Vector2d(1, 0));
  w.assembly.emplace<PlanarRevolute>(Anchor{kZero, ground}, Anchor{kZero, a});
  w.assembly.emplace<PlanarRevolute>(Anchor{kX, ground}, Anchor{kX, b});
  w.assembly.emplace<Gear>(planar_angle(a), planar_angle(b), -1.75);
  const double h = 1e-3;
  for (int i = 0; i < 4000; ++i) {
    w.step(h, [&] {
      w.bodies[a].clear_forces();
      w.bodies[a].add_torque({0, 0, 20});
    });
  }
  const auto angle = [&](BodyId id) { return dynamic_cast<const PlanarBody&>(w.bodies[id]).angle(); };
  // α = T/(J_a + J_b/τ²).
  const double alpha = 20 / (0.02 + 0.05 / (1.75 * 1.75));
  CHECK(angle(a) == doctest::Approx(alpha * 8).epsilon(1e-3));
  CHECK(angle(a) > 500 * 2 * pi);
  CHECK(angle(a) == doctest::Approx(-1.75 * angle(b)).epsilon(1e-10));
  CHECK(w.position_error() <= 1e-9);
}

TEST_CASE("a motor of position is followed to second order of the step, a motor of velocity to rounding") {
  const auto run = [](double h) {
    World w;
    const BodyId a = w.bodies.emplace<PlanarBody>(1.0, 0.02, Eigen::Vector2d(0, 0));
    w.assembly.emplace<PlanarRevolute>(Anchor{kZero}, Anchor{kZero, a});
    const TimeFunction f{[](double t) { return std::sin(3 * t); }, [](double t) { return 3 * std::cos(3 * t); },
                         [](double t) { return -9 * std::sin(3 * t); }};
    w.assembly.emplace<Prescribed>(planar_angle(a), f);
    w.bodies[a].set_velocity(Vector3d(0, 0, 3));  // as it is at the start
    const int steps = static_cast<int>(std::lround(1 / h));
    for (int i = 0; i < steps; ++i) {
      w.step(h, [&] { w.bodies.set_time((i + 0.5) * h); });
      REQUIRE(w.bodies[a].velocity()[2] == doctest::Approx(3 * std::cos(3 * (i + 1) * h)).epsilon(1e-12));
    }
    return std::abs(dynamic_cast<const PlanarBody&>(w.bodies[a]).angle() - std::sin(3.0));
  };
  const double coarse = run(0.01), fine = run(0.005);
  CHECK(coarse < 1e-4);
  CHECK(coarse / fine == doctest::Approx(4).epsilon(0.02));

  const TimeFunction steady = linear_function(0.5, 3);
  CHECK(steady.value(2) == 6.5);
  CHECK(steady.first(2) == 3);
  CHECK(steady.second(2) == 0);

  World w;
  const BodyId a = w.bodies.emplace<PlanarBody>(1.0, 0.02, Eigen::Vector2d(0, 0));
  w.assembly.emplace<VelocityMotor>(
      planar_angle(a), [](double t) { return 2 * t; }, [](double) { return 2.0; });
  for (int i = 0; i < 10; ++i) {
    w.step(0.1, [&] { w.bodies.set_time((i + 0.5) * 0.1); });
    CHECK(w.bodies[a].velocity()[2] == doctest::Approx(2 * 0.1 * (i + 1)).epsilon(1e-12));
  }
}

TEST_CASE("a disc rolls down an incline with 2/3 g sin(slope), whether in space or in the plane") {
  const double radius = 0.3, slope = 0.4, mass = 2;
  const Vector3d down(std::cos(slope), -std::sin(slope), 0), n(std::sin(slope), std::cos(slope), 0);
  for (const WheelRows rows : {WheelRows::plane, WheelRows::space}) {
    World w;
    w.gravity = {0, -9.81, 0};
    const double J = 0.5 * mass * radius * radius;
    BodyId disc{0};
    if (rows == WheelRows::plane) {
      disc = w.bodies.emplace<PlanarBody>(mass, J, Eigen::Vector2d((radius * n).head<2>()));
    } else {
      const MassProperties of{mass, kZero, Eigen::Matrix3d(Vector3d(J / 2, J / 2, J).asDiagonal())};
      disc = w.bodies.emplace<RigidBody>(of, Vector3d(radius * n));
    }
    const ConstraintId id = w.assembly.emplace<RollingWheel>(Axis{kZero, n}, Axis{radius * n, kZ, disc}, radius, rows);
    const Eigen::VectorXd a = accelerations(w, {&w.assembly.constraint(id)});
    const double expected = 2.0 / 3 * 9.81 * std::sin(slope);
    const Vector3d linear = rows == WheelRows::plane ? Vector3d(a[0], a[1], 0) : Vector3d(a.tail<3>());
    CHECK((linear - expected * down).norm() <= 1e-12);
    CHECK(a[2] == doctest::Approx(-expected / radius).epsilon(1e-12));
    for (int i = 0; i < 100; ++i) w.step(0.01);
    CHECK(w.bodies[disc].to_space(kZero).dot(down) == doctest::Approx(expected / 2).epsilon(1e-10));
    CHECK(w.position_error() <= 1e-12);
  }
}

TEST_CASE("joints that are not closed at insertion are closed by a projection") {
  World w;
  const BodyId a = w.bodies.emplace<RigidBody>(box_mass(1000, {0.2, 0.3, 0.4}), Vector3d(0, 0, 0));
  const BodyId b = w.bodies.emplace<RigidBody>(box_mass(1000, {0.2, 0.3, 0.4}), Vector3d(0.5, 0.1, 0));
  w.assembly.emplace<Weld>(Anchor{kZero}, Anchor{kZero, a});
  w.assembly.emplace<Universal>(Axis{{0.2, 0, 0}, kZ, a}, Axis{{0.3, 0.1, 0}, {0.9, 0.1, 0.3}, b});
  w.assembly.emplace<Prescribed>(axis_angle({{0.2, 0, 0}, kZ, a}, {{0.3, 0.1, 0}, kZ, b}), 0.5);
  CHECK(w.position_error() > 0.01);
  w.project();
  CHECK(w.position_error() <= 1e-14);
}

TEST_CASE("an eccentric disc under a flat follower: y = R + e sin θ, and its two derivatives") {
  const double R = 0.05, e = 0.02, theta = 0.7, omega = 12;
  BodySet bodies;
  const BodyId disc = bodies.emplace<PlanarBody>(1.0, 1e-3, Eigen::Vector2d(0, 0), theta);
  const BodyId follower = bodies.emplace<PlanarBody>(0.3, 1e-4, Eigen::Vector2d(0.01, R + e * std::sin(theta)));
  const BodyId s = bodies.emplace<MasslessCoordinate>(pi / 2 - theta);              // on the disc
  const BodyId x = bodies.emplace<MasslessCoordinate>(e * std::cos(theta) - 0.01);  // along the follower
  using V = Eigen::Vector2d;
  const PlaneCurve circle{[=](double a) { return V(e + R * std::cos(a), R * std::sin(a)); },
                          [=](double a) { return V(-R * std::sin(a), R * std::cos(a)); },
                          [=](double a) { return V(-R * std::cos(a), -R * std::sin(a)); }};
  const PlaneCurve flat{[](double a) { return V(a, 0); }, [](double) { return V(1, 0); },
                        [](double) { return V(0, 0); }};
  Cam cam({disc, circle, s}, {follower, flat, x});
  cam.attach(bodies);

  // Columns: disc (x, y, θ), follower (x, y, θ), the two parameters. Unknown: the follower's y and the parameters.
  const auto others = [](const Eigen::MatrixXd& H) {
    Eigen::Matrix3d part;
    part << H.col(4), H.col(6), H.col(7);
    return part;
  };
  const auto used = [](const ConstraintRows& rows, const Eigen::MatrixXd& values) {
    Eigen::MatrixXd three(3, values.cols());  // the block of lengths uses its rows 0 and 1, that of the angle row 2
    three << values.row(0), values.row(1), values.row(5);
    CHECK(rows.H.row(2).norm() + rows.H.row(3).norm() + rows.H.row(4).norm() == 0);
    return three;
  };
  const ConstraintRows still = constraint_rows(cam, bodies);
  CHECK(still.error.norm() <= 1e-15);
  const Eigen::MatrixXd H = used(still, still.H);
  const Vector3d rate = others(H).fullPivLu().solve(-omega * H.col(2));
  CHECK(rate[0] == doctest::Approx(e * std::cos(theta) * omega).epsilon(1e-12));
  CHECK(rate[1] == doctest::Approx(-omega).epsilon(1e-12));
  CHECK(rate[2] == doctest::Approx(-e * std::sin(theta) * omega).epsilon(1e-12));

  bodies[disc].set_velocity(Vector3d(0, 0, omega));
  bodies[follower].set_velocity(Vector3d(0, rate[0], 0));
  bodies[s].set_velocity(rate.segment<1>(1));
  bodies[x].set_velocity(rate.segment<1>(2));
  const ConstraintRows moving = constraint_rows(cam, bodies);
  const Vector3d acceleration = others(H).fullPivLu().solve(-used(moving, moving.bias));
  CHECK(acceleration[0] == doctest::Approx(-e * std::sin(theta) * omega * omega).epsilon(1e-8));
  CHECK(std::abs(acceleration[1]) <= 1e-6);
  CHECK(acceleration[2] == doctest::Approx(-e * std::cos(theta) * omega * omega).epsilon(1e-8));
}

TEST_CASE("angles are scaled such that their rows have the W of the lengths") {
  World w;
  const BodyId a = w.bodies.emplace<RigidBody>(box_mass(1000, {0.2, 0.3, 0.4}), Vector3d(0, 0, 0));
  const BodyId b = w.bodies.emplace<RigidBody>(box_mass(7000, {1.2, 0.3, 0.4}), Vector3d(0.5, 0.1, 0));
  const ConstraintId hinge = w.assembly.emplace<Hinge>(Axis{kX, kY, a}, Axis{kX, kY, b});
  const ConstraintId motor = w.assembly.emplace<Prescribed>(axis_angle({kX, kY, a}, {kX, kY, b}), 0.0);
  w.bodies.predict(1, kZero);
  w.assembly.update(1);
  CHECK(w.ldy.row(hinge, 0).W.trace() / 3 == doctest::Approx(w.ldy.row(hinge, 1).W.trace() / 2).epsilon(1e-12));
  const double by_mass = 1 / w.bodies[a].mass() + 1 / w.bodies[b].mass();
  CHECK(w.ldy.row(motor).W(2, 2) == doctest::Approx(by_mass).epsilon(1e-12));
}

TEST_CASE("a four-bar of points with a coupler point: known positions, all round, from a start that does not close") {
  World w;
  const Vector3d p0(0, 0, 0), p1(4, 0, 0), p2(1, 1, 0), p3(-1, -1, 0), p4(0.5, -0.5, 0);
  const Anchor at_0{p0}, at_1{p1};
  const Anchor at_2{p2, w.bodies.emplace<Particle>(1.0, p2)};
  const Anchor at_3{p3, w.bodies.emplace<Particle>(1.0, p3)};
  const Anchor at_4{p4, w.bodies.emplace<Particle>(1.0, p4)};
  w.assembly.emplace<RigidLink>(at_1, at_2, 2);
  w.assembly.emplace<RigidLink>(at_2, at_3, 4.4);
  w.assembly.emplace<RigidLink>(at_0, at_3, 1);
  w.assembly.emplace<RigidLink>(at_2, at_4, 5);
  w.assembly.emplace<RigidLink>(at_3, at_4, 3);
  // Time counts degrees, and the angle goes on through ±180.
  w.assembly.emplace<Prescribed>(signed_angle({at_0, at_1}, {at_0, at_3}), linear_function(0, pi / 180));
  const auto at = [&](const Anchor& anchor) { return w.bodies[*anchor.body].to_space(kZero); };
  for (int degrees = -170; degrees <= 180; degrees += 10) {
    CAPTURE(degrees);
    w.bodies.set_time(degrees);
    w.project();
    REQUIRE(w.position_error() <= 1e-12);
    const auto is = [&](double x, double y) { return (at(at_4) - Vector3d(x, y, 0)).norm() <= 1e-6; };
    if (degrees == -170) CHECK((at(at_2) - Vector3d(2.985216, 1.723431, 0)).norm() <= 1e-6);
    if (degrees == -170) CHECK(is(0.642643, -2.693848));
    if (degrees == -60) CHECK(is(2.724248, -2.879163));
    if (degrees == 0) CHECK(is(2.499271, -2.598497));
    if (degrees == 90) CHECK(is(1.034255, -1.816082));
    if (degrees == 170) CHECK(is(0.463326, -2.453691));
  }
}
