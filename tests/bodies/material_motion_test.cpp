// Where the material points and directions of each kind are, how fast they move and what acceleration is left while u
// does not change, against differences along the motion.

#include <doctest/doctest.h>

#include <bodies/random_bodies.hpp>
#include <cmath>
#include <stdexcept>

#include <locdyn/bodies/massless_coordinate.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rotor.hpp>

using namespace locdyn;
using locdyn::testing::one_of_each;
using locdyn::testing::Random;

namespace {

template <class Motion>
void check_along_the_motion(Body& body, const Motion& motion) {
  const double dt = 1e-4;
  const MaterialMotion now = motion();
  body.advance(dt);
  const MaterialMotion after = motion();
  body.advance(-2 * dt);
  const MaterialMotion before = motion();
  body.advance(dt);
  // Third derivatives are of order 10 to 100, and rounding is 1e-16 / dt.
  CHECK(((after.value - before.value) / (2 * dt) - now.velocity).norm() <= 1e-5 * (1 + now.velocity.norm()));
  CHECK(((after.velocity - before.velocity) / (2 * dt) - now.bias).norm() <= 1e-5 * (1 + now.bias.norm()));
}

void check(KinematicBody& body, Random& random) {
  const Eigen::Vector3d X = random.vector();
  const Eigen::Vector3d D = random.vector();
  check_along_the_motion(body, [&] { return body.point_motion(X); });
  check_along_the_motion(body, [&] { return body.direction_motion(D); });

  CHECK((body.point_motion(X).value - body.to_space(X)).norm() <= 1e-15);
  const MaterialMotion from = body.point_motion(X), to = body.point_motion(X + D), along = body.direction_motion(D);
  CHECK((to.value - from.value - along.value).norm() <= 1e-14);
  CHECK((to.velocity - from.velocity - along.velocity).norm() <= 1e-13);
  CHECK((to.bias - from.bias - along.bias).norm() <= 1e-12);

  PointJacobian H = PointJacobian::Constant(3, body.freedoms(), NAN);
  if (body.freedoms() == 0) return;
  body.direction_jacobian(D, H);
  CHECK((H * body.velocity() - along.velocity).norm() <= 1e-13);
  body.point_jacobian(from.value, Eigen::Matrix3d::Identity(), H);
  CHECK((H * body.velocity() - from.velocity).norm() <= 1e-13);
}

}  // namespace

TEST_CASE("points and directions of each kind: velocity and bias are derivatives along the motion") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    for (const auto& body : one_of_each(random)) {
      CAPTURE(body->freedoms());
      check(dynamic_cast<KinematicBody&>(*body), random);
    }
    Obstacle obstacle(random.vector(), random.vector(), random.vector());
    obstacle.advance(0.3);
    check(obstacle, random);
  }
}

TEST_CASE("a coordinate without mass moves by its velocity, and has no free velocity") {
  MasslessCoordinate s(0.5);
  s.set_velocity(Eigen::VectorXd::Constant(1, 2));
  s.advance(0.25);
  CHECK(s.value() == 1);
  CHECK(s.configuration() == Eigen::VectorXd::Constant(1, 1.0));
  s.set_configuration(Eigen::VectorXd::Constant(1, -3));
  CHECK(s.value() == -3);
  CHECK(s.inertia() == Eigen::MatrixXd::Zero(1, 1));
  CHECK(s.kinetic_energy() == 0);
  CHECK_THROWS_AS(s.predict(0.1, Eigen::Vector3d::Zero()), std::runtime_error);
  CHECK_THROWS_AS(s.add_force({1, 0, 0}, {0, 0, 0}), std::logic_error);
  CHECK_THROWS_AS(s.add_generalised_force(Eigen::VectorXd::Ones(1)), std::logic_error);
  CHECK(s.added_force() == Eigen::VectorXd::Zero(1));
  CHECK_THROWS_AS(s.set_configuration(Eigen::VectorXd::Zero(2)), std::invalid_argument);
  CHECK_THROWS_WITH_AS(MasslessCoordinate{NAN}, "coordinate: expected a finite number, found nan",
                       std::invalid_argument);
}

TEST_CASE("a rotor gathers speed by what acts on its coordinate, and has no place") {
  Rotor rotor(0.5, 1);
  rotor.set_velocity(Eigen::VectorXd::Constant(1, 2));
  rotor.add_generalised_force(Eigen::VectorXd::Constant(1, 3));
  rotor.add_force({1, 2, 3}, {4, 5, 6});  // at a point, which it has not
  rotor.predict(0.1, {0, 0, -9.81});
  CHECK(rotor.free_velocity()[0] == doctest::Approx(2 + 0.1 * 3 / 0.5));
  rotor.advance(0.25);
  CHECK(rotor.value() == 1.5);
  CHECK(rotor.kinetic_energy() == 1);
  CHECK(rotor.potential_energy({0, 0, -9.81}) == 0);
  Eigen::MatrixXd X = Eigen::MatrixXd::Ones(1, 2);
  rotor.apply_inverse_inertia(X);
  CHECK(X == Eigen::MatrixXd::Constant(1, 2, 2.0));
  rotor.clear_forces();
  CHECK(rotor.added_force() == Eigen::VectorXd::Zero(1));
  CHECK_THROWS_AS(rotor.add_torque({1, 0, 0}), std::logic_error);
  CHECK_THROWS_AS(rotor.set_configuration(Eigen::VectorXd::Zero(2)), std::invalid_argument);
  CHECK_THROWS_WITH_AS(Rotor{-1}, "inertia of a rotor: expected a finite number > 0, found -1", std::invalid_argument);
}
