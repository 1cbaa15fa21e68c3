#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <locdyn/bodies/planar_body.hpp>

using namespace locdyn;

TEST_CASE("a planar body turns about z and stays in its plane") {
  PlanarBody body(2, 0.5, {1, 2}, std::numbers::pi / 2);
  CHECK((body.to_space({1, 0, 0.3}) - Eigen::Vector3d(1, 3, 0.3)).norm() < 1e-15);
  body.add_force({1, 0, 100}, {1, 3, 0});  // one metre above the centre: torque −1
  body.add_torque({7, 7, 3});
  body.predict(0.1, {0, -10, -10});
  CHECK((body.free_velocity() - Eigen::Vector3d(0.05, -1, 0.4)).norm() < 1e-15);
  body.receive_impulse(Eigen::Vector3d(0, 0, 0.05));
  CHECK((body.velocity() - Eigen::Vector3d(0.05, -1, 0.5)).norm() < 1e-15);
  CHECK(body.kinetic_energy() == doctest::Approx(0.5 * 2 * (0.0025 + 1) + 0.5 * 0.5 * 0.25).epsilon(1e-15));
  CHECK(body.potential_energy({0, -10, 0}) == doctest::Approx(40).epsilon(1e-15));
}

TEST_CASE("a planar body without mass, inertia or a place is refused") {
  CHECK_THROWS_AS(PlanarBody(0, 1, {0, 0}), std::invalid_argument);
  CHECK_THROWS_WITH_AS(PlanarBody(1, -2, {0, 0}), "inertia about z: expected a finite number > 0, found -2",
                       std::invalid_argument);
  CHECK_THROWS_AS(PlanarBody(1, 1, {NAN, 0}), std::invalid_argument);
  CHECK_THROWS_AS(PlanarBody(1, 1, {0, 0}, INFINITY), std::invalid_argument);
}
