// A free asymmetric top, moved by the time stepper.

#include "scene.hpp"

#include <cmath>
#include <numbers>

namespace locdyn::physics {
namespace {

TEST_CASE("A free asymmetric top keeps its angular momentum") {
  System system;
  system.gravity.setZero();
  const MassProperties mass = box_mass(kDensity, {0.3, 0.2, 0.1});
  const BodyId id = system.emplace<RigidBody>(mass, Vector3d::Zero());
  Eigen::Matrix<double, 6, 1> u;
  u << 0.3, 2 * std::numbers::pi, 0.2, 0, 0, 0;  // a turn a second about the axis that is not stable
  system.bodies()[id].set_velocity(u);
  const auto& top = dynamic_cast<const RigidBody&>(system.bodies()[id]);
  const Vector3d before = top.angular_momentum();
  TimeStepper stepper(system, exact(0.01));  // 100 steps a turn
  double worst = 0;
  for (int turn = 0; turn < 1000; ++turn) {
    for (int i = 0; i < 100; ++i) stepper.step();
    worst = std::max(worst, (top.angular_momentum() - before).norm() / before.norm());
  }
  CHECK(worst < 1e-12);
}

// Euler's equations for J1 < J2 < J3 from ω = (ω1, ω2, 0) with L² > 2 T J2: Ω2 = −a sn-like oscillation with period
// 4 K(k)/p. Source: Landau & Lifshitz, Mechanics, §37: for L² > 2 T J2 (J1 < J2 < J3)
//   p² = (J3 − J2)(L² − 2 T J1)/(J1 J2 J3),  k² = (J2 − J1)(2 T J3 − L²)/((J3 − J2)(L² − 2 T J1)),
// and for L² < 2 T J2 the same with 1 and 3 exchanged.
double euler_period(const Vector3d& J, const Vector3d& omega) {
  double J1 = J[0], J3 = J[2];
  const double J2 = J[1];
  const double L2 = J.cwiseProduct(omega).squaredNorm(), T2 = J.dot(omega.cwiseProduct(omega));
  if (L2 < T2 * J2) std::swap(J1, J3);
  const double p2 = (J3 - J2) * (L2 - T2 * J1) / (J1 * J2 * J3);
  const double k2 = (J2 - J1) * (T2 * J3 - L2) / ((J3 - J2) * (L2 - T2 * J1));
  return 4 * std::comp_ellint_1(std::sqrt(k2)) / std::sqrt(p2);
}

TEST_CASE("The Dzhanibekov flip has the period of the elliptic integral, with an error of second order in h") {
  const MassProperties mass = box_mass(kDensity, {0.3, 0.2, 0.1});  // J1 < J2 < J3 along x, y, z
  const Vector3d J = mass.inertia.diagonal(), omega(0.01, 2 * std::numbers::pi, 0);
  const double period = euler_period(J, omega);
  std::vector<double> errors;
  for (const double h : {0.01, 0.005}) {
    System system;
    system.gravity.setZero();
    const BodyId id = system.emplace<RigidBody>(mass, Vector3d::Zero());
    Eigen::Matrix<double, 6, 1> u;
    u << omega, 0, 0, 0;
    system.bodies()[id].set_velocity(u);
    TimeStepper stepper(system, exact(h));
    // Ω2 crosses zero twice a period: the time from the first crossing to the ninth is four of them.
    double before = omega[1], first = 0, last = 0;
    for (int crossings = 0; crossings < 9 && stepper.time() < 20 * period;) {
      stepper.step();
      const double now = system.bodies()[id].velocity()[1];
      if (before * now < 0) {
        last = stepper.time() - h * now / (now - before);
        if (crossings++ == 0) first = last;
      }
      before = now;
    }
    errors.push_back(std::abs((last - first) / 4 / period - 1));
  }
  CAPTURE(errors[0]);
  CAPTURE(errors[1]);
  CHECK(errors[0] < 5e-3);
  CHECK(errors[1] < 0.3 * errors[0]);
}

}  // namespace
}  // namespace locdyn::physics
