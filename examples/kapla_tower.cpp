// A tower of Kapla planks (120 × 24 × 8 mm), two to a layer, crosswise. Argument: layers (20).
// By hand: between layers k and k + 1 acts the weight of all planks above; the ground carries 2 · 20 planks of
// 0.12 · 0.024 · 0.008 m³ · 700 kg/m³ · g = 6.32865 N.

#include <cstdlib>

#include "run.hpp"

using namespace example;

int main(int argc, char** argv) {
  const int layers = argc > 1 ? std::atoi(argv[1]) : 20;
  const Eigen::Vector3d plank(0.12, 0.024, 0.008);
  locdyn::System system(locdyn::make_bullet_detector());
  const auto pine = system.materials.add_surface("pine", friction(0.35));
  const auto ground = add_obstacle(system, locdyn::Plane{}, pine);

  locdyn::BodyId last{0};
  for (int layer = 0; layer < layers; ++layer) {
    const bool across = layer % 2 == 1;
    for (const double side : {-0.048, 0.048}) {
      const Eigen::Vector3d size = across ? Eigen::Vector3d(plank.y(), plank.x(), plank.z()) : plank;
      last = add_solid(system, locdyn::Box{size}, {.density = 700, .surface = pine},
                       {.position = {across ? side : 0, across ? 0 : side, plank.z() * (layer + 0.5)}});
    }
  }

  const Eigen::Vector3d top = position_of(system, last);
  locdyn::TimeStepper stepper(system, {.step = 1e-3});
  const auto report = run(stepper, 1.0);
  bool right = agrees("ground carries [N]", carried_by(stepper, ground).z(), 2 * layers * plank.prod() * 700 * kGravity,
                      1e-6 * layers);
  right &= agrees("largest speed [m/s]", report.largest_speed, 0, 1e-7);
  right &= agrees("the top has moved by [m]", (position_of(system, last) - top).norm(), 0, 1e-8);
  return right ? 0 : 1;
}
