// The shortest simulation: a box slides over the ground and stops. The marked lines are those of the README.
// By hand: v²/(2 μ g) = 2²/(2 · 0.5 · 9.81) = 0.407747 m, to μ g h²/8 for the step that stops it.

#include <cmath>
#include <cstdio>

#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/simulation/make_bodies.hpp>
#include <locdyn/simulation/time_stepper.hpp>

int main() {
  // README: begin
  locdyn::System system(locdyn::make_bullet_detector());
  const auto wood = system.materials.add_surface("wood", {.static_friction = 0.5, .kinetic_friction = 0.5});

  add_obstacle(system, locdyn::Plane{}, wood);
  const auto box = add_solid(system, locdyn::Box{{0.4, 0.3, 0.2}}, {.density = 700, .surface = wood},  // kg/m³
                             {.position = {0, 0, 0.1}});                                               // m
  set_velocity(system, box, {.linear = {2, 0, 0}});                                                    // m/s

  locdyn::TimeStepper stepper(system, {.step = 1e-3});  // s
  while (stepper.time() < 1) {
    const locdyn::StepReport report = stepper.step();
    if (!report.warning.empty()) std::puts(report.warning.c_str());
  }
  std::printf("slid %.5f m\n", position_of(system, box).x());  // 0.40775
  // README: end

  const double by_hand = 2.0 * 2.0 / (2 * 0.5 * 9.81);
  return std::abs(position_of(system, box).x() - by_hand) < 0.5 * 9.81 * 1e-6 / 8 + 1e-9 ? 0 : 1;
}
