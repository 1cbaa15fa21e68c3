// A block that slides, by the umbrella header: prints how far, and exits with 0 where that is v²/(2 μ g).

#include <cmath>
#include <cstdio>
#include <locdyn/locdyn.hpp>

int main(int argc, char**) {
  locdyn::System system;
  system.gravity = {0, 0, 0};
  const locdyn::BodyId body = system.emplace<locdyn::Particle>(2.0, Eigen::Vector3d::Zero());
  system.bodies()[body].set_velocity(Eigen::Vector3d(1, 0, 0));
  locdyn::TimeStepper stepper(system, {.step = 0.01});
  for (int step = 0; step < 100; ++step) static_cast<void>(stepper.step());
  std::printf("x = %.12g after %.3g s\n", system.bodies()[body].configuration()[0], stepper.time());
  return std::abs(system.bodies()[body].configuration()[0] - 1) < 1e-12 && argc == 1 ? 0 : 1;
}
