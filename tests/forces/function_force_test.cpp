// Forces by functions of time, place and velocity.

#include <doctest/doctest.h>

#include <cmath>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/forces/function_force.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "step_of.hpp"

using namespace locdyn;
using Eigen::Vector3d;

TEST_CASE("the function is told time, place, velocity and spin, and its wrench acts at the point") {
  System system;
  const BodyId box = system.emplace<RigidBody>(box_mass(1000, {0.1, 0.2, 0.3}), Vector3d(1, 0, 0));
  system.bodies()[box].set_velocity((Eigen::VectorXd(6) << 0, 0, 2, 0, 5, 0).finished());
  system.bodies().set_time(0.75);
  PointState seen;
  system.add_force(std::make_unique<FunctionForce>(Anchor{{1, 0.5, 0}, box}, [&seen](const PointState& state) {
    seen = state;
    return Wrench{{0, 0, 4}, {7, 0, 0}};
  }));
  system.forces().add_to(system.bodies());
  CHECK(seen.time == 0.75);
  CHECK((seen.position - Vector3d(1, 0.5, 0)).norm() < 1e-15);
  CHECK((seen.velocity - Vector3d(-1, 5, 0)).norm() < 1e-15);  // (0, 5, 0) + 2 e_z × (0, 0.5, 0)
  CHECK((seen.angular_velocity - Vector3d(0, 0, 2)).norm() < 1e-15);
  CHECK((system.bodies()[box].added_force() - (Eigen::VectorXd(6) << 9, 0, 0, 0, 0, 4).finished()).norm() < 1e-14);
}

TEST_CASE("quadratic drag against the closed form of a fall, with second order in h") {
  // v = v_∞ tanh(g t/v_∞).
  const double g = 9.81, terminal = 3;
  double before = 0;
  for (const double h : {0.02, 0.01, 0.005}) {
    System system;
    const BodyId ball = system.emplace<Particle>(0.5, Vector3d(0, 0, 0));
    const double drag = 0.5 * g / (terminal * terminal);
    system.add_force(std::make_unique<FunctionForce>(Anchor{{0, 0, 0}, ball}, [drag](const PointState& state) {
      return Wrench{-drag * state.velocity.norm() * state.velocity, Vector3d::Zero()};
    }));
    TimeStepper stepper(system, step_of(h));
    while (stepper.time() < 0.4 - h / 2) (void)stepper.step();
    const double error = std::abs(system.bodies()[ball].velocity()[2] + terminal * std::tanh(g * 0.4 / terminal));
    CHECK(error < 10 * h * h);
    if (before > 0) CHECK(before / error == doctest::Approx(4).epsilon(0.1));
    before = error;
  }
}

TEST_CASE("a force of time is taken at the middle of the step") {
  System system;
  system.gravity.setZero();
  const BodyId ball = system.emplace<Particle>(2.0, Vector3d(0, 0, 0));
  system.add_force(std::make_unique<FunctionForce>(Anchor{{0, 0, 0}, ball}, [](const PointState& state) {
    return Wrench{{6 * state.time, 0, 0}, Vector3d::Zero()};
  }));
  TimeStepper stepper(system, step_of(0.1));
  for (int i = 0; i < 10; ++i) (void)stepper.step();
  CHECK(system.bodies()[ball].velocity()[0] == doctest::Approx(1.5).epsilon(1e-14));  // exact: linear in t
}

TEST_CASE("what a function may not return is refused with the force's name, and the step is undone") {
  System system;
  const BodyId ball = system.emplace<Particle>(1.0, Vector3d(0, 0, 3));
  system.add_force(std::make_unique<FunctionForce>(
      Anchor{{0, 0, 3}, ball},
      [](const PointState& state) {
        return Wrench{{0, state.time > 0.02 ? NAN : 1, 0}, Vector3d::Zero()};
      },
      "gust"));
  TimeStepper stepper(system, step_of(0.01));
  (void)stepper.step();
  (void)stepper.step();
  const Eigen::VectorXd u = system.bodies()[ball].velocity(), q = system.bodies()[ball].configuration();
  CHECK_THROWS_WITH_AS(stepper.step(), "force 0 (gust): force: expected finite numbers, found (0, nan, 0) at t = 0.025",
                       std::invalid_argument);
  CHECK(stepper.time() == doctest::Approx(0.02));
  CHECK(system.bodies()[ball].velocity() == u);
  CHECK(system.bodies()[ball].configuration() == q);

  BodySet bodies;
  bodies.emplace<Particle>(1.0, Vector3d(0, 0, 0));
  ForceSet forces;
  forces.add(std::make_unique<FunctionForce>(Anchor{{0, 0, 0}, BodyId{0}},
                                             [](const PointState&) {
                                               return Wrench{Vector3d::Zero(), {0, 1, 0}};
                                             }),
             bodies, "twist");
  CHECK_THROWS_WITH_AS(forces.add_to(bodies),
                       "force \"twist\" (function force): torque: expected none on a particle, found (0, 1, 0)",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(FunctionForce(Anchor{{0, 0, 0}, BodyId{0}}, nullptr, "nothing"),
                       "nothing: expected a function, found none", std::invalid_argument);
  CHECK_THROWS_AS(FunctionForce(Anchor{}, [](const PointState&) { return Wrench{}; }), std::invalid_argument);
}
