// Boxes set down on a belt that runs at 1 m/s: friction takes them along.
// By hand: a box slips until v = μ g t, by v²/(2 μ g): 0.254842, 0.127421 and 0.084947 m for μ = 0.2, 0.4 and 0.6.

#include <array>
#include <string>

#include "run.hpp"

using namespace example;

int main() {
  constexpr double kSpeed = 1, kStep = 1e-3, kTime = 0.8;
  locdyn::System system(locdyn::make_bullet_detector());
  const auto rubber = system.materials.add_surface("rubber", friction(1));

  // The belt is an obstacle that is driven.
  const auto belt = add_obstacle(system, locdyn::Box{{10, 1, 0.1}}, rubber, {.position = {0, 0, -0.05}});
  system.add_drive(belt, [=](double, double) { return locdyn::ObstacleMotion{.velocity = {kSpeed, 0, 0}}; });

  const std::array<double, 3> mu = {0.2, 0.4, 0.6};
  std::array<locdyn::BodyId, 3> boxes{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto surface = system.materials.add_surface("box " + std::to_string(k), friction(mu[k]));
    system.materials.set_pair(rubber, surface, friction(mu[k]));
    boxes[k] = add_solid(system, locdyn::Box{{0.2, 0.2, 0.1}}, {.density = 500, .surface = surface},
                         {.position = {0, 0.3 * (static_cast<double>(k) - 1), 0.05}});
  }

  locdyn::TimeStepper stepper(system, {.step = kStep});
  run(stepper, kTime);
  bool right = true;
  for (std::size_t k = 0; k < 3; ++k) {
    std::printf("mu = %.1f: ", mu[k]);
    right &= agrees("slipped by [m]", kSpeed * kTime - position_of(system, boxes[k]).x(),
                    kSpeed * kSpeed / (2 * mu[k] * kGravity), mu[k] * kGravity * kStep * kStep / 4);
  }
  return right ? 0 : 1;
}
