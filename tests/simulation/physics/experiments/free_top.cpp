#include "free_top.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace locdyn::physics {
namespace {

// J1 < J2 < J3 along x, y, z.
BodyId add_top(System& system, const Vector3d& omega) {
  system.gravity.setZero();
  const BodyId id = system.emplace<RigidBody>(box_mass(kDensity, {0.3, 0.2, 0.1}), Vector3d::Zero());
  Eigen::Matrix<double, 6, 1> u;
  u << omega, 0, 0, 0;
  system.bodies()[id].set_velocity(u);
  return id;
}

}  // namespace

double momentum_error(int turns) {
  System system;
  const BodyId id = add_top(system, {0.3, 2 * std::numbers::pi, 0.2});
  const Vector3d before = system.bodies()[id].angular_momentum();
  TimeStepper stepper(system, {.step = 0.01});
  double worst = 0;
  for (int turn = 0; turn < turns; ++turn) {
    for (int i = 0; i < 100; ++i) stepper.step();
    worst = std::max(worst, (system.bodies()[id].angular_momentum() - before).norm() / before.norm());
  }
  return worst;
}

double euler_period(const Vector3d& J, const Vector3d& omega) {
  double J1 = J[0], J3 = J[2];
  const double J2 = J[1];
  const double L2 = J.cwiseProduct(omega).squaredNorm(), T2 = J.dot(omega.cwiseProduct(omega));
  if (L2 < T2 * J2) std::swap(J1, J3);
  const double p2 = (J3 - J2) * (L2 - T2 * J1) / (J1 * J2 * J3);
  const double k2 = (J2 - J1) * (T2 * J3 - L2) / ((J3 - J2) * (L2 - T2 * J1));
  return 4 * std::comp_ellint_1(std::sqrt(k2)) / std::sqrt(p2);
}

Flip flip_period(double h) {
  const Vector3d omega(0.01, 2 * std::numbers::pi, 0);
  System system;
  const BodyId id = add_top(system, omega);
  Flip flip{.expected = euler_period(box_mass(kDensity, {0.3, 0.2, 0.1}).inertia.diagonal(), omega)};
  TimeStepper stepper(system, {.step = h});
  // Ω2 crosses zero twice a period: the time from the first crossing to the ninth is four of them. The crossing by a
  // cubic through two values on either side.
  double values[4] = {omega[1], omega[1], omega[1], omega[1]};
  double first = 0, last = 0;
  for (int crossings = 0; crossings < 9 && stepper.time() < 20 * flip.expected;) {
    stepper.step();
    for (int k = 0; k < 3; ++k) values[k] = values[k + 1];
    values[3] = system.bodies()[id].velocity()[1];
    if (values[1] * values[2] >= 0) continue;
    double x = values[1] / (values[1] - values[2]);  // from the second value, in steps
    for (int i = 0; i < 20; ++i) {
      const double cubic = -values[0] * x * (x - 1) * (x - 2) / 6 + values[1] * (x + 1) * (x - 1) * (x - 2) / 2 -
                           values[2] * (x + 1) * x * (x - 2) / 2 + values[3] * (x + 1) * x * (x - 1) / 6;
      x += cubic / (values[1] - values[2]);
    }
    last = stepper.time() - (2 - x) * h;
    if (crossings++ == 0) first = last;
  }
  flip.period = (last - first) / 4;
  return flip;
}

}  // namespace locdyn::physics
