// Balls run out of a flat hopper through a slot. Argument: width of the slot over the diameter of a ball (5).
// By hand: Beverloo's law for a slot, Q = C ρ √g W (B − k d)^{3/2}, C ρ = 1.03 times the bulk density, k = 1.4: balls
// per second. Source: Beverloo, Leniger & van de Velde, Chem. Eng. Sci. 15 (1961) 260–269.

#include <cstdlib>
#include <numbers>
#include <random>
#include <vector>

#include "run.hpp"

using namespace example;

int main(int argc, char** argv) {
  const double opening = argc > 1 ? std::atof(argv[1]) : 5;
  constexpr double kBall = 0.01, kWidth = 0.16, kDepth = 2.02 * kBall;  // radius; of the hopper [m]
  locdyn::System system(locdyn::make_bullet_detector());
  const auto rough = system.materials.add_surface("rough", friction(0.4));
  const auto glass = system.materials.add_surface("glass", friction(0));
  system.materials.set_pair(rough, glass, friction(0));

  // A floor with a slot, side walls, and glass in front and behind, one ball apart.
  const double slot = opening * 2 * kBall, half = (kWidth - slot) / 2;
  for (const int side : {-1, 1}) {
    add_obstacle(system, locdyn::Box{{half, 0.1, 0.02}}, rough, {.position = {side * (slot + half) / 2, 0, -0.01}});
    add_obstacle(system, locdyn::Box{{0.02, 0.1, 1}}, rough, {.position = {side * (kWidth / 2 + 0.01), 0, 0.5}});
    add_obstacle(system, locdyn::Box{{0.4, 0.02, 4}}, glass, {.position = {0, side * (kDepth / 2 + 0.01), 0}});
  }

  std::mt19937 random(1);
  std::vector<locdyn::BodyId> balls;
  for (int row = 0; row < 16; ++row) {
    for (int k = 0; k < 7; ++k) {
      const double radius = kBall * (0.9 + 0.1 * static_cast<double>(random() % 1000) / 1000);
      balls.push_back(add_solid(system, locdyn::Sphere{radius}, {.density = 2500, .surface = rough},
                                {.position = {0.0215 * (k - 3) + 0.004 * (row % 2), 0, 0.012 + 0.0195 * row}}));
    }
  }

  const auto out = [&] {
    long count = 0;
    for (const auto ball : balls) count += position_of(system, ball).z() < 0;
    return count;
  };
  locdyn::TimeStepper stepper(system, {.step = 2e-3, .stop = {.max_iterations = 500}});
  constexpr double kFrom = 0.15, kTo = 0.3;
  run(stepper, kFrom);
  const long before = out();
  run(stepper, kTo);
  const double found = static_cast<double>(out() - before) / (kTo - kFrom);

  // In the plane: discs of 0.95 kBall at a share of 0.8 of the area, C = 1.03, k = 1.4.
  const double diameter = 1.9 * kBall, number = 0.8 / (std::numbers::pi / 4 * diameter * diameter);
  const double law = 1.03 * number * std::sqrt(kGravity) * std::pow(slot - 1.4 * diameter, 1.5);
  return agrees("balls a second", found, law, 0.3 * law) ? 0 : 1;
}
