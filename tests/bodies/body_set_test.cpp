#include <doctest/doctest.h>
#include <stdexcept>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/pseudo_rigid_body.hpp>

using namespace locdyn;

TEST_CASE("ids are the order of insertion, the set steps and sums over its bodies") {
  BodySet bodies;
  const BodyId floor = bodies.emplace<Obstacle>();
  const BodyId stone = bodies.emplace<Particle>(2.0, Eigen::Vector3d(0, 0, 5));
  CHECK(floor == 0);
  CHECK(stone == 1);
  CHECK(bodies.size() == 2);
  bodies[stone].set_velocity(Eigen::Vector3d(3, 0, 0));
  CHECK(bodies.kinetic_energy() == 9);
  CHECK(bodies.potential_energy({0, 0, -10}) == 100);
  bodies.predict(0.1, {0, 0, -10});
  CHECK(bodies[stone].free_velocity() == Eigen::Vector3d(3, 0, -1));
  bodies.advance(2);
  CHECK(bodies[stone].to_space({0, 0, 0}) == Eigen::Vector3d(6, 0, 5));
  CHECK(bodies.time() == 0);  // its owner says what time it is
  bodies.set_time(2);
  CHECK(bodies.time() == 2);
  CHECK_THROWS_WITH_AS(bodies.set_time(NAN), "time: expected a finite number, found nan", std::invalid_argument);
}

TEST_CASE("errors name the body") {
  BodySet bodies;
  CHECK_THROWS_AS(bodies.add(nullptr), std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)bodies[0], "body id: expected less than 0, found 0", std::out_of_range);
  bodies.emplace<Particle>(1.0, Eigen::Vector3d(0, 0, 0));
  const BodyId soft = bodies.emplace<PseudoRigidBody>(1.0, Eigen::Matrix3d::Identity(), ElasticMaterial{1, 0.3}, 1.0,
                                                      Eigen::Vector3d(0, 0, 0));
  Eigen::VectorXd u = Eigen::VectorXd::Zero(12);
  u[0] = -2;
  bodies[soft].set_velocity(u);
  bodies.advance(1);
  CHECK_THROWS_WITH_AS(bodies.predict(0.1, Eigen::Vector3d::Zero()),
                       "body 1: deformation gradient: expected a determinant > 0, found -1: the step is too large for "
                       "the load",
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(bodies.predict(-1, Eigen::Vector3d::Zero()),
                       "body 0: step: expected a finite number > 0, found -1", std::invalid_argument);
  CHECK_THROWS_WITH_AS(Particle(-1, {0, 0, 0}), "mass: expected a finite number > 0, found -1", std::invalid_argument);
  CHECK_THROWS_AS(bodies[0].add_torque({1, 0, 0}), std::logic_error);
}
