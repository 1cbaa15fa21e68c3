#include <doctest/doctest.h>
#include <algorithm>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <bodies/random_bodies.hpp>
#include <locdyn/bodies/body_set.hpp>
#include <locdyn/bodies/momentum_update.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using locdyn::testing::Random;
using std::numbers::pi;

namespace {

const Eigen::Vector3d kZero = Eigen::Vector3d::Zero();

void step(Body& body, double h, Scheme scheme = Scheme::half_step) {
  body.advance(part_before(scheme) * h);
  body.predict(h, kZero, scheme);
  body.receive_impulse(Eigen::VectorXd::Zero(body.freedoms()));
  body.advance(part_after(scheme) * h);
}

void spin(RigidBody& body, const Eigen::Vector3d& omega) {
  Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
  u.head<3>() = omega;
  body.set_velocity(u);
}

// The largest change of spatial angular momentum, relative, over 1000 turns at 100 steps a turn.
double momentum_drift(RigidBody body, const Eigen::Vector3d& omega, Scheme scheme) {
  spin(body, omega);
  const double h = 2 * pi / omega.norm() / 100;
  const Eigen::Vector3d L = body.angular_momentum();
  double drift = 0;
  for (int i = 0; i < 100'000; ++i) {
    step(body, h, scheme);
    drift = std::max(drift, (body.angular_momentum() - L).norm());
  }
  return drift / L.norm();
}

}  // namespace

TEST_CASE("torque-free asymmetric body: spatial angular momentum over 1000 turns at 100 steps a turn") {
  // Rounding of 2e5 turned quaternions and 1e5 velocities, as a random walk: 300 ε, about 7e-14.
  for (unsigned seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const RigidBody body({1, kZero, random.inertia()}, kZero, random.orientation());
    const Eigen::Vector3d omega = random.vector();
    const double drift = momentum_drift(body, omega, Scheme::half_step);
    MESSAGE("half-step: relative drift " << drift);
    CHECK(drift < 1e-12);
    CHECK(momentum_drift(body, omega, Scheme::semi_implicit_euler) < 1e-12);
  }
}

TEST_CASE("torque-free body that tumbles about its middle axis keeps its momentum, and its energy to O(h²)") {
  const RigidBody start({1, kZero, Eigen::Vector3d(1, 2, 2.5).asDiagonal()}, kZero);
  CHECK(momentum_drift(start, {0.01, 1, 0.01}, Scheme::half_step) < 1e-12);
  const auto energy_drift = [&](double h, double time) {
    RigidBody body = start;
    spin(body, {0.1, 1, 0.1});
    const double E = body.kinetic_energy();
    double drift = 0;
    for (int i = 0; i < static_cast<int>(std::lround(time / h)); ++i) {
      step(body, h);
      drift = std::max(drift, std::abs(body.kinetic_energy() / E - 1));
    }
    return drift;
  };
  const double coarse = energy_drift(0.06, 600);
  CHECK(coarse < 2e-4);
  CHECK(coarse / energy_drift(0.03, 600) == doctest::Approx(4).epsilon(0.05));
}

TEST_CASE("torque-free symmetric top precesses at (J3 − J1)/J1 Ω3 in the body") {
  RigidBody top({1, kZero, Eigen::Vector3d(2, 2, 3).asDiagonal()}, kZero);
  spin(top, {0.5, 0, 4});
  const double h = 1e-4;
  const int steps = 10'000;
  for (int i = 0; i < steps; ++i) step(top, h);
  const double phase = (3.0 - 2.0) / 2.0 * 4 * h * steps;
  // Second order: (Ω h)² of a phase of 2 rad.
  CHECK((top.velocity().head<3>() - Eigen::Vector3d(0.5 * std::cos(phase), 0.5 * std::sin(phase), 4)).norm() < 1e-7);
}

TEST_CASE("a steady spin turns by exactly ω t") {
  RigidBody body({1, kZero, Eigen::Vector3d(1, 2, 2.5).asDiagonal()}, kZero);
  spin(body, {0, 0, 2 * pi});
  for (int i = 0; i < 100; ++i) step(body, 0.0125);  // a turn and a quarter
  CHECK((body.to_space({1, 0, 0}) - Eigen::Vector3d(0, 1, 0)).norm() < 1e-13);
}

TEST_CASE("a torque changes spatial angular momentum by exactly h T at any spin") {
  Random random(21);
  for (const Scheme scheme : {Scheme::half_step, Scheme::semi_implicit_euler}) {
    for (int trial = 0; trial < 100; ++trial) {
      RigidBody body({2, kZero, random.inertia()}, random.vector(), random.orientation());
      body.set_velocity(random.velocity(6));
      const Eigen::Vector3d T = random.vector();
      const Eigen::Vector3d before = body.angular_momentum();
      body.add_torque(T);
      const double h = random.between(0.01, 0.7);
      step(body, h, scheme);
      CHECK((body.angular_momentum() - before - h * T).norm() < 4e-15 * (before.norm() + 1));
    }
  }
}

TEST_CASE("the half-step scheme is of order 2 and semi-implicit Euler of order 1 on a driven asymmetric body") {
  // A constant force on a point of the body: torque and spin couple in every way.
  const auto run = [](double h, Scheme scheme) {
    RigidBody body({1, kZero, Eigen::Vector3d(1, 2, 2.5).asDiagonal()}, kZero);
    body.set_velocity((Eigen::VectorXd(6) << 1, 0.7, -0.4, 0, 1, 0).finished());
    for (int i = 0; i < static_cast<int>(std::lround(2 / h)); ++i) {
      body.advance(part_before(scheme) * h);
      body.clear_forces();
      body.add_force({0.5, 1, -2}, body.to_space({0.3, -0.6, 0.9}));
      body.predict(h, {0, 0, -9.81}, scheme);
      body.receive_impulse(Eigen::VectorXd::Zero(6));
      body.advance(part_after(scheme) * h);
    }
    Eigen::VectorXd state(15);
    state << body.velocity(), body.to_space({1, 0, 0}), body.to_space({0, 1, 0}), body.position();
    return state;
  };
  for (const Scheme scheme : {Scheme::half_step, Scheme::semi_implicit_euler}) {
    const Eigen::VectorXd middle = run(0.005, scheme);
    const double ratio = (run(0.01, scheme) - middle).norm() / (middle - run(0.0025, scheme)).norm();
    CHECK(ratio == doctest::Approx(scheme == Scheme::half_step ? 4 : 2).epsilon(0.02));
  }
}

TEST_CASE("the momentum equation is solved at large rotations a step too") {
  Random random(22);
  for (const double angle : {0.01, 1.0, 3.0, 6.0}) {
    CAPTURE(angle);
    for (int trial = 0; trial < 500; ++trial) {
      const Eigen::Matrix3d J = random.inertia();
      const Eigen::Vector3d omega = angle * random.vector().normalized();
      const Eigen::Vector3d after = momentum_keeping_velocity(J, omega, kZero, 0.5, 0.5);
      const Eigen::Vector3d momentum = exponential_matrix(-0.5 * omega) * J * omega;
      CHECK((exponential_matrix(0.5 * after) * J * after - momentum).norm() < 2e-14 * momentum.norm());
    }
  }
  CHECK(momentum_keeping_velocity(random.inertia(), kZero, kZero, 0.5, 0.5) == kZero);
  CHECK_THROWS_AS((void)momentum_keeping_velocity(random.inertia(), Eigen::Vector3d(1e200, 1, 1), kZero, 1e200, 1),
                  std::runtime_error);
}

// From angles at which the change of Ω is found by itself to those at which it is not. Each number of Ω⁺ is rounded, by
// up to 2⁻⁵³ of it; a tenth more for the rounding of what it is made of.
TEST_CASE("the momentum equation is solved to the rounding of the velocity, whatever the angle and the torque") {
  Random random(24);
  for (const double angle : {1e-9, 1e-5, 1e-3, 0.01, 0.03, 0.06, 0.12, 0.3}) {
    for (const double share : {0.0, 1e-3, 0.03, 1.0}) {  // of the momentum, the angular impulse
      CAPTURE(angle);
      CAPTURE(share);
      for (int trial = 0; trial < 200; ++trial) {
        const Eigen::Matrix3d J = random.inertia();
        const Eigen::Vector3d omega = angle * random.vector().normalized();
        const Eigen::Vector3d impulse = share * (J * omega).norm() * random.vector().normalized();
        const double before = trial % 2 == 0 ? 0.5 : 0.0, after = 1 - before;
        const ExtendedVector kept = momentum_keeping_velocity(J, omega, impulse, before, after).cast<Extended>();
        const auto extended_J = J.cast<Extended>();
        const ExtendedVector extended_omega = omega.cast<Extended>();
        const ExtendedVector momentum =
            rotated(-before * extended_omega, extended_J * extended_omega) + impulse.cast<Extended>();
        const ExtendedVector residual = extended_J * kept - rotated(-after * kept, momentum);
        CHECK(static_cast<double>(residual.norm()) < 1.1 * 0x1p-53 * J.norm() * static_cast<double>(kept.norm()));
      }
    }
  }
}

TEST_CASE("kinetic energy and momentum are those of the particles that make the body") {
  Random random(23);
  // A cloud of particles about its own mass centre.
  std::vector<Eigen::Vector3d> X(12);
  std::vector<double> m(12);
  double mass = 0;
  Eigen::Vector3d center = kZero;
  for (int i = 0; i < 12; ++i) {
    X[i] = random.vector();
    m[i] = random.between(0.1, 1);
    mass += m[i];
    center += m[i] * X[i];
  }
  center /= mass;
  Eigen::Matrix3d euler = Eigen::Matrix3d::Zero();
  for (int i = 0; i < 12; ++i) {
    X[i] -= center;
    euler += m[i] * X[i] * X[i].transpose();
  }
  const Eigen::Matrix3d inertia = euler.trace() * Eigen::Matrix3d::Identity() - euler;

  RigidBody rigid({mass, kZero, inertia}, random.vector(), random.orientation());
  PseudoRigidBody soft(mass, euler, {1, 0.3}, 1, random.vector(), random.deformation());
  for (Body* body : {static_cast<Body*>(&rigid), static_cast<Body*>(&soft)}) {
    body->set_velocity(random.velocity(body->freedoms()));
    double energy = 0;
    PointJacobian H(3, body->freedoms());
    for (int i = 0; i < 12; ++i) {
      body->point_jacobian(body->to_space(X[i]), Eigen::Matrix3d::Identity(), H);
      energy += 0.5 * m[i] * (H * body->velocity()).squaredNorm();
    }
    CHECK(body->kinetic_energy() == doctest::Approx(energy).epsilon(1e-13));
  }
}

TEST_CASE("bad input of a rigid body is refused") {
  const MassProperties good = sphere_mass(1, 1);
  MassProperties bad = good;
  bad.mass = 0;
  CHECK_THROWS_WITH_AS(RigidBody(bad, kZero), "mass: expected a finite number > 0, found 0", std::invalid_argument);
  bad = good;
  bad.inertia(2, 2) *= 3;
  CHECK_THROWS_AS(RigidBody(bad, kZero), std::invalid_argument);
  CHECK_THROWS_AS(RigidBody(good, {NAN, 0, 0}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(RigidBody(good, kZero, Orientation(2, 0, 0, 0)),
                       "orientation: expected a quaternion of norm 1, found norm 2", std::invalid_argument);
  CHECK_THROWS_AS(RigidBody(good, kZero, Orientation(NAN, 0, 0, 0)), std::invalid_argument);
  RigidBody body(good, kZero, Orientation(1 + 1e-8, 0, 0, 0));
  CHECK(body.orientation().norm() == 1);
  CHECK_THROWS_AS(body.add_force({NAN, 0, 0}, kZero), std::invalid_argument);
  CHECK_THROWS_AS(body.predict(0, kZero), std::invalid_argument);
  CHECK_THROWS_AS(body.predict(0.1, {0, NAN, 0}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(body.set_velocity(Eigen::VectorXd::Zero(3)), "velocity: expected 6 numbers, found 3",
                       std::invalid_argument);
  CHECK_THROWS_AS(body.set_velocity(Eigen::VectorXd::Constant(6, NAN)), std::invalid_argument);
}

// The last of the fours turn far; the torque is that of some alone.
TEST_CASE("bodies of a set that go four at a time move as each by itself, to the bit") {
  Random random(7);
  BodySet together;
  std::vector<BodyId> ids;
  for (int i = 0; i < 23; ++i) {
    const Eigen::Vector3d axes = i % 4 == 0 ? Eigen::Vector3d::Ones().eval() : Eigen::Vector3d(1, 1.5, 2);
    const MassProperties properties{.mass = 2, .inertia = axes.asDiagonal()};
    ids.push_back(together.emplace<RigidBody>(properties, random.vector(), random.orientation()));
    Eigen::VectorXd u = random.velocity(6);
    if (i > 12 && i % 5 == 0) u *= 200;
    together[ids.back()].set_velocity(u);
    if (i % 3 == 0) together[ids.back()].add_torque(random.vector());
  }
  std::vector<RigidBody> alone;
  for (const BodyId id : ids) alone.push_back(*together[id].rigid());
  const Eigen::Vector3d gravity(0, 0, -9.81);
  constexpr double kStep = 0.01;
  together.advance(kStep, ids);
  together.predict(kStep, gravity, ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    CAPTURE(i);
    Body& body = alone[i];
    body.advance(kStep);
    body.predict(kStep, gravity);
    CHECK(together[ids[i]].configuration() == body.configuration());
    CHECK(together[ids[i]].rigid()->rotation() == alone[i].rotation());
    CHECK(together[ids[i]].free_velocity() == body.free_velocity());
  }
}
