// A wall in running bond, hit by a ball. Reactions inside the wall cancel out: what is left of the ball's momentum is
// what the ground has not taken by friction.
// By hand: ball 20 kg · 15 m/s = 300 N s = momentum at the end + ∫ friction of the ground dt.
// Argument: courses (5).

#include <cstdlib>

#include "run.hpp"

using namespace example;

int main(int argc, char** argv) {
  const int courses = argc > 1 ? std::atoi(argv[1]) : 5;
  locdyn::System system(locdyn::make_bullet_detector());
  const auto brick = system.materials.add_surface("brick", friction(0.6));
  const auto ground = add_obstacle(system, locdyn::Plane{}, brick);

  // Bricks of 0.25 × 0.12 × 0.065 m, 1800 kg/m³; every other course ends in half bricks.
  constexpr int kLength = 4;
  const auto lay = [&](double x, double length, int course) {
    return add_solid(system, locdyn::Box{{length, 0.12, 0.065}}, {.density = 1800, .surface = brick},
                     {.position = {x, 0, 0.065 * (course + 0.5)}});
  };
  for (int course = 0; course < courses; ++course) {
    const bool halved = course % 2 == 1;
    for (int k = 0; k < kLength - (halved ? 1 : 0); ++k) lay(0.25 * (k + (halved ? 1.0 : 0.5)), 0.25, course);
    if (halved) lay(0.0625, 0.125, course), lay(0.25 * kLength - 0.0625, 0.125, course);
  }

  // The ball hits the middle of the wall at two thirds of its height.
  const double radius = 0.08, height = 0.065 * courses * 2 / 3;
  const auto ball =
      add_solid(system, locdyn::Sphere{radius}, {.density = 20 / locdyn::sphere_mass(1, radius).mass, .surface = brick},
                {.position = {0.125 * kLength, -0.2, height}});
  set_velocity(system, ball, {.linear = {0, 15, 0}});

  locdyn::TimeStepper stepper(system, {.step = 1e-3, .stop = {.max_iterations = 500}});
  const double energy = 0.5 * 20 * 15 * 15 + system.bodies().potential_energy(system.gravity);
  double taken = 0, gained = 0;  // by the ground [N s]; beyond the energy at start [J]
  const auto report = run(stepper, 0.15, [&](const locdyn::StepReport& now) {
    taken -= 1e-3 * carried_by(stepper, ground).y();
    gained = std::max(gained, now.kinetic_energy + now.potential_energy - energy);
  });
  std::printf("ball's energy 2250 J, of the wall and the ball at the end %.1f J\n",
              report.kinetic_energy + report.potential_energy - (energy - 2250));
  bool right = agrees("momentum at the end and what the ground took [N s]", report.momentum.y() + taken, 300, 1e-6);
  right &= agrees("energy gained [J]", gained, 0, 1e-5 * 2250);
  return right ? 0 : 1;
}
