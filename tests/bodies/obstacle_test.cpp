#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <locdyn/bodies/obstacle.hpp>

using namespace locdyn;

TEST_CASE("an obstacle at rest") {
  Obstacle floor;
  CHECK(floor.freedoms() == 0);
  CHECK(std::isinf(floor.mass()));
  CHECK(floor.inertia().size() == 0);
  floor.advance(1);
  floor.predict(0.1, {0, 0, -9.81});
  floor.receive_impulse(Eigen::VectorXd(0));
  CHECK(floor.to_space({1, 2, 3}) == Eigen::Vector3d(1, 2, 3));
  CHECK(floor.prescribed_velocity({1, 2, 3}) == Eigen::Vector3d::Zero());
  CHECK(floor.kinetic_energy() == 0);
}

TEST_CASE("a moving obstacle: its points move as their prescribed velocity says") {
  Obstacle table({0.1, -0.2, 0.3}, {1, 2, -1}, {5, 0, 1});
  table.advance(0.37);
  const Eigen::Vector3d X(0.3, -1, 2);
  const Eigen::Vector3d v = table.prescribed_velocity(table.to_space(X));
  CHECK((table.to_body(table.to_space(X)) - X).norm() < 1e-14);
  CHECK(table.velocity_at(table.to_space(X)) == v);
  // Central difference: error |ω|³ |r| d²/6.
  const double d = 1e-4;
  table.advance(d);
  const Eigen::Vector3d after = table.to_space(X);
  table.advance(-2 * d);
  CHECK(((after - table.to_space(X)) / (2 * d) - v).norm() < 1e-6);
}

TEST_CASE("a turntable comes back after a turn, and a new motion starts from where it is") {
  Obstacle table({0, 0, 0}, {0, 0, 2 * std::numbers::pi}, {1, 0, 0});
  for (int step = 0; step < 100; ++step) table.advance(0.01);
  CHECK((table.to_space({3, 1, 0}) - Eigen::Vector3d(3, 1, 0)).norm() < 1e-13);
  table.advance(0.5);
  CHECK((table.to_space({3, 0, 0}) - Eigen::Vector3d(-1, 0, 0)).norm() < 1e-13);
  table.set_motion({0, 0, 1}, {0, 0, 0}, {0, 0, 0});
  table.advance(2);
  CHECK((table.to_space({3, 0, 0}) - Eigen::Vector3d(-1, 0, 2)).norm() < 1e-13);
  CHECK_THROWS_WITH_AS(table.set_motion({0, NAN, 0}, {0, 0, 0}, {0, 0, 0}),
                       "velocity: expected a finite number, found nan", std::invalid_argument);
}
