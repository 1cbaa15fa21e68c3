// A stack of ten boxes with a thousandfold weight on top, asked whether it stands still.
// By hand: the ground carries (10 · 1 + 1000) kg · g = 9908.1 N, and nothing moves.

#include "run.hpp"

using namespace example;

int main() {
  locdyn::System system(locdyn::make_bullet_detector());
  const auto stone = system.materials.add_surface("stone", friction(0.5));
  const auto ground = add_obstacle(system, locdyn::Plane{}, stone);

  // Boxes of 1 kg, edge 0.1 m; the top one of 1000 kg.
  locdyn::BodyId top{0};
  for (int k = 0; k <= 10; ++k) {
    top = add_solid(system, locdyn::Box{{0.1, 0.1, 0.1}}, {.density = k < 10 ? 1e3 : 1e6, .surface = stone},
                    {.position = {0, 0, 0.05 + 0.1 * k}});
  }

  locdyn::TimeStepper stepper(system, {.step = 1e-3});
  const auto report = run(stepper, 1.0);
  bool right = agrees("ground carries [N]", carried_by(stepper, ground).z(), 1010 * kGravity, 1e-3);
  right &= agrees("largest speed [m/s]", report.largest_speed, 0, 1e-7);
  right &= agrees("top has sunk by [m]", 1.05 - position_of(system, top).z(), 0, 1e-7);
  return right ? 0 : 1;
}
