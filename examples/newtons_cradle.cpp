// Newton's cradle: five steel balls on pendulums of 1 m, e = 1, 1 mm apart: wider than a step's travel, so that one
// impact follows another. By hand: the first ball, let go at 20°, arrives with ω² = 2 m g L (1 − cos 20°)/J, where
// J = m L² + 2/5 m r²; the last leaves with that, and the four others hang still.

#include <numbers>

#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>

#include "run.hpp"

using namespace example;

int main() {
  constexpr double kRadius = 0.05, kLength = 1, kGap = 1e-3;
  locdyn::System system(locdyn::make_bullet_detector());
  const auto steel = system.materials.add_surface("steel", friction(0, 1.0));

  // Each ball is a rigid body with a pin above it; the first one is turned about its pin.
  const double angle = 20 * std::numbers::pi / 180;
  std::vector<locdyn::BodyId> balls;
  for (int k = 0; k < 5; ++k) {
    const Eigen::Vector3d pin(k * (2 * kRadius + kGap), 0, kLength);
    const double a = k == 0 ? angle : 0;
    balls.push_back(add_solid(system, locdyn::Sphere{kRadius}, {.density = 7800, .surface = steel},
                              {.position = pin - kLength * Eigen::Vector3d(std::sin(a), 0, std::cos(a))}));
    system.add_constraint(std::make_unique<locdyn::FixedPoint>(locdyn::Anchor{pin, balls.back()}));
  }

  const double inertia = kLength * kLength + 0.4 * kRadius * kRadius;  // of a unit mass, about the pin
  const double omega = std::sqrt(2 * kGravity * kLength * (1 - std::cos(angle)) / inertia);

  // Until the last ball is on its way, a third of a period.
  locdyn::TimeStepper stepper(system, {.step = 2e-4});
  double fastest = 0;
  run(stepper, 0.67,
      [&](const locdyn::StepReport&) { fastest = std::max(fastest, velocity_of(system, balls[4]).linear.norm()); });
  double rest = 0;
  for (int k = 0; k < 4; ++k) rest = std::max(rest, velocity_of(system, balls[k]).linear.norm());
  bool right = agrees("last ball leaves at [m/s]", fastest, omega * kLength, 2e-3 * omega);
  right &= agrees("the fastest of the others [m/s]", rest, 0, 1e-2 * omega);
  return right ? 0 : 1;
}
