#include "energy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "arch.hpp"
#include "domino_wave.hpp"

namespace locdyn::physics {
namespace {

constexpr PairMaterial kRough{.static_friction = 0.5, .kinetic_friction = 0.5};

void add_pile(Scene& scene) {
  std::mt19937 random(3);
  const auto uniform = [&](double a, double b) { return a + (b - a) * (static_cast<double>(random()) / 4294967296.0); };
  scene.add_obstacle(Plane{});
  for (int i = 0; i < 24; ++i) {
    const Place place{
        .position = {0.12 * (i % 2) + uniform(0, 0.02), 0.12 * (i / 2 % 2) + uniform(0, 0.02), 0.1 + 0.13 * (i / 4)},
        .orientation = exponential({uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)})};
    if (i % 2 == 0) {
      scene.add(Sphere{uniform(0.03, 0.05)}, place);
    } else {
      scene.add(Box{{uniform(0.05, 0.08), uniform(0.05, 0.07), uniform(0.04, 0.06)}}, place);
    }
  }
}

// Each box sticks out farther over the one below than it can.
void add_stack(Scene& scene) {
  scene.add_obstacle(Plane{});
  for (int i = 0; i < 6; ++i) scene.add(Box{{0.2, 0.2, 0.1}}, {.position = {0.05 * i, 0, 0.05 + 0.1 * i}});
}

void add_bodies(Scene& scene, Falling example) {
  switch (example) {
    case Falling::pile: return add_pile(scene);
    case Falling::stack: return add_stack(scene);
    case Falling::arch: add_arch(scene, 0.1); return scene.add_obstacle(Plane{}, {.position = {0, 0, -0.2}});
    case Falling::dominoes: add_dominoes(scene, {.count = 12}, 4);
  }
}

}  // namespace

const char* name_of(Falling example) {
  constexpr const char* names[] = {"pile", "stack", "arch", "dominoes"};
  return names[static_cast<int>(example)];
}

EnergyBalance balance_of(Falling example, double duration, const TimeStepperOptions& options) {
  Scene scene(kRough);
  add_bodies(scene, example);
  TimeStepper stepper(scene.system, options);
  const double kinetic = scene.system.bodies().kinetic_energy();
  const double potential = scene.system.bodies().potential_energy(scene.system.gravity);
  EnergyBalance balance;
  double least = kinetic + potential, least_as_it_is = least, least_at_end = std::numeric_limits<double>::infinity();
  while (stepper.time() < duration - options.step / 2) {
    const StepReport report = stepper.step();
    const double total = report.kinetic_energy + report.potential_energy;
    balance.corrected += report.correction_energy;
    balance.released = std::max(balance.released, kinetic + potential - report.potential_energy);
    least = std::min(least, total - balance.corrected);
    balance.growth = std::max(balance.growth, total - balance.corrected - least);
    least_as_it_is = std::min(least_as_it_is, total);
    balance.growth_as_it_is = std::max(balance.growth_as_it_is, total - least_as_it_is);
    if (stepper.time() > 0.9 * duration) {
      least_at_end = std::min(least_at_end, total - balance.corrected);
      balance.growth_at_end = std::max(balance.growth_at_end, total - balance.corrected - least_at_end);
    }
    balance.failed += report.status != SolveStatus::converged;
    balance.speed = report.largest_speed;
  }
  for (double* share : {&balance.growth, &balance.growth_as_it_is, &balance.growth_at_end, &balance.corrected}) {
    *share /= balance.released;
  }
  return balance;
}

}  // namespace locdyn::physics
