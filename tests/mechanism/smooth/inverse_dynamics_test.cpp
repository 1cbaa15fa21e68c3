// Inverse dynamics against closed forms and against forward dynamics.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <locdyn/mechanism/smooth/inverse_dynamics.hpp>

#include "mechanism/linkages.hpp"

using namespace locdyn;
using namespace locdyn::test;
using std::numbers::pi;

namespace {

constexpr double kGravity = 9.81;

// θ = ω t + α t²/2.
constexpr double kOmega = 5, kAlpha = 2;
TimeFunction turning(double start) {
  return {[start](double t) { return start + kOmega * t + 0.5 * kAlpha * t * t; },
          [](double t) { return kOmega + kAlpha * t; }, [](double) { return kAlpha; }};
}

// Forces on the parts of a slider-crank by Newton and Euler, one part after the other, from the motion in closed form:
// uniform crank and rod of 1 kg, piston of 0.5 kg, gravity along −y.
struct SliderCrankForces {
  double torque;
  Vector2d main, pin, piston_pin;  // on the crank, on the rod, on the piston
  double wall;
};
SliderCrankForces closed_form(double r, double l, double theta, double omega, double alpha) {
  const double s = std::sin(theta), c = std::cos(theta);
  // sin φ = r sin θ/l, the rod falling from the pin to the piston.
  const double phi = std::asin(r * s / l), cp = std::cos(phi), sp = std::sin(phi);
  const double phi_1 = r * c * omega / (l * cp);
  const double phi_2 = (r * (c * alpha - s * omega * omega) + l * sp * phi_1 * phi_1) / (l * cp);
  const Vector2d pin_2 = r * (alpha * Vector2d(-s, c) - omega * omega * Vector2d(c, s));
  // Rod from the pin along (cos φ, −sin φ).
  const Vector2d along_2 = phi_2 * Vector2d(-sp, -cp) + phi_1 * phi_1 * Vector2d(-cp, sp);
  const Vector2d rod_2 = pin_2 + 0.5 * l * along_2, piston_2 = pin_2 + l * along_2;
  const Vector2d g(0, -kGravity);
  SliderCrankForces f{};
  // Piston: m ẍ = F + N, without friction. Rod: moments about the pin give the wall.
  const double rod_inertia = l * l / 12, mass = 0.5;
  const double push = mass * piston_2.x();
  // On the rod at the piston −F, F = (push, F_y). Moments about the rod's middle, spin −φ̇:
  //   −I φ̈ = (half × −F) + (−half × P), P = m (a − g) + F, half = l/2 (cos φ, −sin φ)
  const Vector2d half = 0.5 * l * Vector2d(cp, -sp), inertial = rod_2 - g;
  const auto cross = [](const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); };
  // −I φ̈ = −2 half × F − half × inertial
  const double moment = 0.5 * (rod_inertia * phi_2 - cross(half, inertial));  // = half × F
  const double side = (moment + half.y() * push) / half.x();
  f.piston_pin = {push, side};
  f.wall = mass * kGravity - side;
  f.pin = inertial + f.piston_pin;
  const Vector2d middle = 0.5 * r * Vector2d(c, s);
  const Vector2d crank_2 = 0.5 * pin_2;
  f.main = crank_2 - g + f.pin;
  // About O: I_O α = torque + middle × g + pin × (−P).
  f.torque = r * r / 3 * alpha - cross(middle, g) + cross(2 * middle, f.pin);
  return f;
}

}  // namespace

TEST_CASE("a slider-crank's torque and bearings over a time grid are those of Newton and Euler") {
  const double r = 0.3, l = 0.8, theta = 0.4;
  SliderCrank machine(r, l, theta);
  const DriveId drive = machine.mechanism.add_drive(machine.crank_angle(theta), "crank");
  std::vector<double> times;
  for (int k = 0; k <= 60; ++k) times.push_back(0.03 * k);
  const std::vector<InversePoint> points = inverse_dynamics(machine.mechanism, {.gravity = {0, -kGravity, 0}},
                                                            {.times = times, .programs = {{drive, turning(theta)}}});
  REQUIRE(points.size() == times.size());
  for (const InversePoint& point : points) {
    CAPTURE(point.time);
    const double t = point.time, angle = turning(theta).value(t), omega = kOmega + kAlpha * t;
    const SliderCrankForces f = closed_form(r, l, angle, omega, kAlpha);
    CHECK(std::abs(point.drives[0] - f.torque) < 1e-9);
    CHECK(std::abs(point.power - f.torque * omega) < 1e-9 * (1 + omega));
    // Rows: main bearing (x, y), crank pin, piston pin, cylinder, drive. The reaction is that on the slave.
    const Eigen::VectorXd& R = point.rates.multipliers;
    CHECK((R.segment<2>(0) - f.main).norm() < 1e-9);
    CHECK((R.segment<2>(2) - f.pin).norm() < 1e-9);
    CHECK((R.segment<2>(4) - f.piston_pin).norm() < 1e-9);
    CHECK(std::abs(R[6] - f.wall) < 1e-9);
  }
  CHECK(machine.mechanism.bodies().time() == times.back());
}

TEST_CASE("a coarse grid stays on its branch over many turns") {
  const double r = 0.3, l = 0.8;
  SliderCrank machine(r, l, 0);
  const DriveId drive = machine.mechanism.add_drive(machine.crank_angle(0), "crank");
  const std::vector<InversePoint> points = inverse_dynamics(machine.mechanism, {.gravity = {0, -kGravity, 0}},
                                                            {.times = {0, 1, 2, 3}, .programs = {{drive, turning(0)}}});
  const double angle = turning(0).value(3), omega = kOmega + 3 * kAlpha;
  CHECK(std::abs(points.back().drives[0] - closed_form(r, l, angle, omega, kAlpha).torque) < 1e-9);
  CHECK(machine.mechanism.drive_value(drive) == doctest::Approx(angle).epsilon(1e-13));
}

TEST_CASE("a freedom that no drive holds, a dead point and a program without a number are refused") {
  using Reason = MotionError::Reason;
  const auto reason = [](Mechanism& mechanism, const InverseOptions& options) {
    try {
      (void)inverse_dynamics(mechanism, {}, options);
    } catch (const MotionError& error) {
      return error.reason();
    }
    FAIL("expected a MotionError");
    return Reason::step_limit;
  };
  SliderCrank loose(0.3, 0.8, 0.4);
  CHECK(reason(loose.mechanism, {.times = {0}}) == Reason::no_solution);

  // The stroke as the drive: beyond r + l nothing closes.
  SliderCrank stroke(0.3, 0.8, 0.4);
  const DriveId piston = stroke.mechanism.add_drive(stroke.stroke(0.4), "piston");
  const double start = stroke.x(0.4);
  const InverseOptions too_far{.times = {0, 1}, .programs = {{piston, linear_function(start, 0.3)}}};
  CHECK(reason(stroke.mechanism, too_far) == Reason::does_not_close);
  CHECK(stroke.mechanism.bodies().time() == 0);
  CHECK(stroke.mechanism.drive_value(piston) == doctest::Approx(start));

  SliderCrank broken(0.3, 0.8, 0.4);
  const DriveId crank = broken.mechanism.add_drive(broken.crank_angle(0.4), "crank");
  TimeFunction program = turning(0.4);
  program.second = [](double t) { return t < 0.5 ? kAlpha : std::numeric_limits<double>::quiet_NaN(); };
  CHECK(reason(broken.mechanism, {.times = {0, 1}, .programs = {{crank, program}}}) == Reason::bad_function);
  CHECK(broken.mechanism.bodies().time() == 0);

  CHECK_THROWS_WITH_AS((void)inverse_dynamics(broken.mechanism, {}, {.times = {1, 0.5}}),
                       "times: expected them ascending from that of the bodies, found 0.5 after 1",
                       std::invalid_argument);
  CHECK_THROWS_AS((void)inverse_dynamics(broken.mechanism, {}, {.times = {1}, .branch = 2}), std::invalid_argument);
  broken.mechanism.release(crank);
  CHECK_THROWS_WITH_AS((void)inverse_dynamics(broken.mechanism, {}, {.times = {1}, .programs = {{crank, program}}}),
                       "programs: expected drives that are held, found drive 0 released", std::invalid_argument);
}
