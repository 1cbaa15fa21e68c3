// Systems of points in the null space: closed forms, conservation, order, bodies made of points.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <locdyn/bodies/mass_properties.hpp>
#include <locdyn/bodies/rotation.hpp>
#include <locdyn/mechanism/smooth/motion_error.hpp>
#include <locdyn/mechanism/smooth/point_system.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using Eigen::Vector3d;
using std::numbers::pi;

namespace {

// A square chain of two uniform bars and a spring, in motion.
PointSystem chain() {
  PointSystem system;
  const auto o = system.add_fixed_point({0, 0, 0});
  const auto a = system.add_point({1, 0, 0});
  const auto b = system.add_point({1, 1, 0}, 0.5, {0.3, 0, 0.2});
  system.add_link(o, a, 1.2);
  system.add_link(a, b, 0.7);
  system.add_spring(o, b, 40, 1.1);
  system.project_velocities();
  return system;
}

Vector3d end_of_chain(double h, double T) {
  PointSystem system = chain();
  const int count = static_cast<int>(std::lround(T / h));
  for (int k = 0; k < count; ++k) system.step(h);
  return system.position(2);
}

}  // namespace

TEST_CASE("a uniform bar swings with m l²/3 about its end") {
  PointSystem system;
  const auto o = system.add_fixed_point({0, 0, 0});
  const auto a = system.add_point({std::sin(0.01), 0, -std::cos(0.01)});
  system.add_link(o, a, 3);
  // T = 2π √(2 l/3g) (1 + α²/16 …); a quarter of it later it hangs down.
  const double quarter = pi / 2 * std::sqrt(2.0 / (3 * 9.81)) * (1 + 0.0001 / 16);
  for (int k = 0; k < 400; ++k) system.step(quarter / 400);
  CHECK(std::abs(system.position(a).x()) < 1e-7);
  CHECK(system.position_error() < 1e-13);
}

TEST_CASE("energy is kept to rounding at large steps, springs and all") {
  PointSystem system = chain();
  const double start = system.kinetic_energy() + system.potential_energy();
  Eigen::Index freedoms = 0;
  for (int k = 0; k < 400; ++k) freedoms = system.step(0.02).freedoms;
  CHECK(freedoms == 4);
  CHECK(system.position_error() < 1e-12);
  CHECK(std::abs(system.kinetic_energy() + system.potential_energy() - start) < 1e-10);
  CHECK(system.time() == doctest::Approx(8));
}

TEST_CASE("steps are of second order") {
  const double T = 0.8;
  const Vector3d a = end_of_chain(0.008, T), b = end_of_chain(0.004, T), c = end_of_chain(0.002, T);
  CHECK(std::log2((a - b).norm() / (b - c).norm()) == doctest::Approx(2).epsilon(0.05));
}

TEST_CASE("a body of four points turns as a rigid body, keeping energy and angular momentum") {
  // A symmetric top, free: its axis goes round L at |L|/a.
  PointSystem system;
  system.gravity.setZero();
  const double a = 0.5, c = 0.3;
  const MassProperties matter{1.0, {0.1, 0.2, 0.3}, Vector3d(a, a, c).asDiagonal()};
  const std::array<Vector3d, 4> corners = {Vector3d(0, 0, 0), {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::array<PointSystem::PointId, 4> points{};
  const Vector3d omega(1, 0, 3);
  for (std::size_t i = 0; i < 4; ++i) {
    points[i] = system.add_point(corners[i], 0, omega.cross(corners[i] - matter.center));
  }
  system.add_rigid_body(points, matter);
  CHECK(system.kinetic_energy() == doctest::Approx(0.5 * (a * 1 + c * 9)).epsilon(1e-14));
  const Vector3d momentum = system.angular_momentum();
  CHECK((momentum - Vector3d(a, 0, 3 * c)).norm() < 1e-14);
  const double start = system.kinetic_energy(), h = 1e-3;
  for (int k = 0; k < 1000; ++k) system.step(h);
  CHECK(std::abs(system.kinetic_energy() - start) < 1e-12);
  CHECK((system.angular_momentum() - momentum).norm() < 1e-12);
  const Vector3d axis = system.position(points[3]) - system.position(points[0]);
  CHECK((axis - exponential(momentum / a) * Vector3d::UnitZ()).norm() < 1e-5);
  CHECK(system.position_error() < 1e-13);
}

TEST_CASE("what d'Alembert leaves is the tension of a link") {
  PointSystem system;
  const auto o = system.add_fixed_point({0, 0, 0});
  const auto a = system.add_point({0, 0, -2}, 1.5, {3, 0, 0});
  const auto row = system.add_link(o, a);
  const auto report = system.step(1e-4);
  // m g + m v²/l, pulling.
  CHECK(report.multipliers[static_cast<int>(row)] == doctest::Approx(-1.5 * (9.81 + 4.5)).epsilon(1e-6));
}

TEST_CASE("a damper takes what it should: a damped oscillator") {
  PointSystem system;
  system.gravity.setZero();
  const auto o = system.add_fixed_point({0, 0, 0});
  const auto a = system.add_point({1.2, 0, 0}, 1);
  system.add_spring(o, a, 25, 1, 2);
  for (int k = 0; k < 2000; ++k) system.step(5e-4);
  const double w = std::sqrt(24.0);
  const double expected = 0.2 * std::exp(-1.0) * (std::cos(w) + std::sin(w) / w);
  CHECK(system.position(a).x() - 1 == doctest::Approx(expected).epsilon(1e-5));
}

TEST_CASE("a redundant link changes nothing, and what has no meaning is refused") {
  PointSystem system;
  const auto o = system.add_fixed_point({0, 0, 0});
  const auto a = system.add_point({1, 0, 0}, 2);
  system.add_link(o, a);
  system.add_link(o, a);
  PointSystem plain;
  const auto p = plain.add_fixed_point({0, 0, 0});
  plain.add_link(p, plain.add_point({1, 0, 0}, 2));
  for (int k = 0; k < 50; ++k) {
    system.step(0.01);
    plain.step(0.01);
  }
  CHECK((system.position(1) - plain.position(1)).norm() < 1e-12);

  CHECK_THROWS_WITH_AS(system.add_point({0, 0, 0}, -1), "mass: expected a number >= 0, found -1",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(system.add_link(0, 7), "point: expected one of 2, found 7", std::invalid_argument);
  CHECK_THROWS_WITH_AS(system.add_link(1, 1), "link: expected points that are apart, found 1 and 1 together",
                       std::invalid_argument);
  CHECK_THROWS_AS(system.add_spring(0, 1, -1, 1), std::invalid_argument);
  CHECK_THROWS_AS(system.step(0), std::invalid_argument);
  PointSystem flat;
  std::array<PointSystem::PointId, 4> points{};
  for (std::size_t i = 0; i < 4; ++i) points[i] = flat.add_point({1.0 * static_cast<double>(i), 0, 0});
  CHECK_THROWS_WITH_AS(flat.add_rigid_body(points, {1, Vector3d::Zero(), Eigen::Matrix3d::Identity()}),
                       "rigid body: expected four points that do not lie in a plane, found that they do",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(flat.step(0.1), "motion at t = 0 s: expected points with mass, found none at point 0",
                       MotionError);
}
