// What mechanisms ask of a body: f of A u̇ = f and q̇, against a short step of the same body; and what bodies without a
// place in space, or without mass, answer.

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include <locdyn/bodies/massless_coordinate.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rotor.hpp>

#include "random_bodies.hpp"

using namespace locdyn;
using locdyn::testing::one_of_each;
using locdyn::testing::Random;

namespace {

const Eigen::Vector3d kWeight(0.3, -0.2, -9.81);

std::vector<std::unique_ptr<Body>> all_with_mass(Random& random) {
  auto bodies = one_of_each(random);
  bodies.push_back(std::make_unique<Rotor>(random.between(0.1, 1), random.normal()));
  bodies.back()->set_velocity(random.velocity(1));
  return bodies;
}

// A coordinate has no points: what is asked of them is answered as of the space that stays.
void check_has_no_place(const KinematicBody& body, Random& random) {
  const Eigen::Vector3d X = random.vector();
  CHECK(body.to_space(X) == X);
  CHECK(body.to_body(X) == X);
  for (const MaterialMotion& motion : {body.point_motion(X), body.direction_motion(X)}) {
    CHECK(motion.value == X);
    CHECK(motion.velocity == Eigen::Vector3d::Zero());
    CHECK(motion.bias == Eigen::Vector3d::Zero());
  }
  for (int what = 0; what < 3; ++what) {
    CAPTURE(what);
    PointJacobian H = PointJacobian::Constant(3, 1, NAN);
    if (what == 0) body.point_jacobian(X, random.rotation(), H);
    if (what == 1) body.spin_jacobian(random.rotation(), H);
    if (what == 2) body.direction_jacobian(X, H);
    CHECK(H == PointJacobian::Zero(3, 1));
  }
  CHECK(body.angular_velocity() == Eigen::Vector3d::Zero());
  CHECK(body.configuration_rate() == body.velocity());
}

}  // namespace

TEST_CASE("the smooth force is A times the acceleration of a short step, for each kind") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    for (const auto& body : all_with_mass(random)) {
      const int n = body->freedoms();
      CAPTURE(n);
      body->add_generalised_force(random.velocity(n));
      const double h = 1e-6;
      body->predict(h, kWeight, Scheme::half_step);
      const Eigen::VectorXd f = body->kinematics()->smooth_force(kWeight);
      const Eigen::VectorXd expected = body->inertia() * (body->free_velocity() - body->velocity()) / h;
      // The momentum of a body that turns is kept by an implicit step, which differs by order h times a third
      // derivative of 10 to 100; rounding is 1e-16 / h.
      CHECK((f - expected).norm() <= 1e-4 * (1 + f.norm()));
    }
  }
}

TEST_CASE("q' is the derivative of the configuration along the motion, for each kind") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    for (const auto& body : all_with_mass(random)) {
      CAPTURE(body->freedoms());
      const double dt = 1e-4;
      const Eigen::VectorXd rate = body->kinematics()->configuration_rate();
      body->advance(dt);
      const Eigen::VectorXd after = body->configuration();
      body->advance(-2 * dt);
      // Second order: |ω|³ dt²/24 of a quaternion.
      CHECK(((after - body->configuration()) / (2 * dt) - rate).norm() <= 1e-6 * (1 + rate.norm()));
    }
  }
  Obstacle belt({1, 0, 0}, {0, 0, 2}, {0, 0, 0});
  CHECK(belt.configuration_rate() == Eigen::VectorXd::Zero(10));  // its motion is the owner's
}

TEST_CASE("rotors and coordinates without mass have no place, and say so") {
  Random random(7);
  Rotor rotor(0.5, 1);
  MasslessCoordinate s(0.5);
  for (KinematicBody* body : std::vector<KinematicBody*>{&rotor, &s}) {
    body->set_velocity(Eigen::VectorXd::Constant(1, 3));
    check_has_no_place(*body, random);
  }
  rotor.set_configuration(Eigen::VectorXd::Constant(1, -2));
  CHECK(rotor.value() == -2);
  CHECK(rotor.configuration() == Eigen::VectorXd::Constant(1, -2.0));
  CHECK(rotor.inertia() == Eigen::MatrixXd::Constant(1, 1, 0.5));
  CHECK(rotor.mass() == 0.5);
  CHECK_THROWS_WITH_AS(rotor.add_force({NAN, 0, 0}, {0, 0, 0}), "force: expected a finite number, found nan",
                       std::invalid_argument);

  Eigen::MatrixXd X = Eigen::MatrixXd::Ones(1, 2);
  s.apply_inverse_inertia(X);
  CHECK(X == Eigen::MatrixXd::Zero(1, 2));  // no impulse moves it: it follows the others
  CHECK(s.potential_energy(kWeight) == 0);
  CHECK(s.smooth_force(kWeight) == Eigen::VectorXd::Zero(1));
  s.clear_forces();
  CHECK(s.added_force() == Eigen::VectorXd::Zero(1));
  CHECK_THROWS_WITH_AS(s.add_torque({1, 0, 0}), "torque: expected a body with mass, found a coordinate without",
                       std::logic_error);
}

TEST_CASE("an obstacle takes forces and torques, and goes on as its motion says") {
  Obstacle pushed({0.1, 0, 0}, {0, 0, 1}, {1, 0, 0}), left_alone = pushed;
  pushed.add_force({100, 0, 0}, {0, 1, 0});
  pushed.add_torque({0, 0, 100});
  pushed.add_generalised_force(Eigen::VectorXd(0));
  CHECK(pushed.added_force().size() == 0);
  CHECK(pushed.smooth_force(kWeight).size() == 0);
  CHECK(pushed.potential_energy(kWeight) == 0);
  Eigen::MatrixXd none(0, 2);
  pushed.apply_inverse_inertia(none);
  CHECK(none.rows() == 0);
  for (Obstacle* obstacle : {&pushed, &left_alone}) {
    obstacle->predict(0.1, kWeight);
    obstacle->advance(0.1);
  }
  CHECK(pushed.configuration() == left_alone.configuration());
  CHECK(pushed.prescribed_velocity({1, 2, 3}) == left_alone.prescribed_velocity({1, 2, 3}));
  CHECK(pushed.angular_velocity() == Eigen::Vector3d::Zero());
}
