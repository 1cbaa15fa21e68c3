// The shortest simulation, shown in the README: a box slides over the ground and stops.
// By hand: v²/(2 μ g) = 2²/(2 · 0.5 · 9.81) = 0.407747 m, less at most μ g h²/8 for the step that stops it.

#include <cmath>
#include <cstdio>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/dynamics/time_stepper.hpp>

int main() {
  locdyn::System system(locdyn::make_bullet_detector());
  const auto wood = system.materials.add_surface("wood", {.static_friction = 0.5, .kinetic_friction = 0.5});

  const auto ground = system.emplace<locdyn::Obstacle>();
  system.add_collider({.body = ground, .shape = locdyn::Plane{}, .surface = wood});

  const locdyn::Box shape{{0.4, 0.3, 0.2}};            // edges [m]
  const auto box = system.emplace<locdyn::RigidBody>(  // 700 kg/m³, 0.1 m above the origin
      locdyn::mass_properties(shape, 700), Eigen::Vector3d(0, 0, 0.1));
  system.add_collider({.body = box, .shape = shape, .surface = wood});
  system.bodies()[box].set_velocity(Eigen::Vector<double, 6>{0, 0, 0, 2, 0, 0});  // (Ω, ẋ) [rad/s, m/s]

  locdyn::TimeStepper stepper(system, {.step = 1e-3});
  while (stepper.time() < 1) {
    const locdyn::StepReport report = stepper.step();  // contacts, residual, energies, seconds a stage
    if (!report.warning.empty()) std::puts(report.warning.c_str());
  }
  const double way = system.bodies()[box].configuration()[0];  // 0.407747 m

  std::printf("slid %.6f m\n", way);
  const double by_hand = 2.0 * 2.0 / (2 * 0.5 * 9.81);
  return std::abs(way - by_hand) < 0.5 * 9.81 * 1e-6 / 8 + 1e-6 ? 0 : 1;
}
