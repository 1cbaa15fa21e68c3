// A semicircular arch of 40 voussoirs under its own weight, μ = 0.7: it stands where its thickness over its centre-line
// radius is above 0.1075 (Milankovitch 1907) and falls below. Argument: voussoirs.

#include <cstdlib>
#include <numbers>

#include "run.hpp"

using namespace example;

// One wedge from angle a to b, of a ring from radius `inner` to `outer`, 1 m wide.
locdyn::ConvexHull voussoir(double inner, double outer, double a, double b) {
  locdyn::ConvexHull hull;
  for (const double angle : {a, b}) {
    for (const double r : {inner, outer}) {
      for (const double y : {-0.5, 0.5}) hull.points.push_back({r * std::cos(angle), y, r * std::sin(angle)});
    }
  }
  return hull;
}

// How far the lowest voussoir sinks within `time` [m].
double sinks(double thickness, int count, double time) {
  locdyn::System system(locdyn::make_bullet_detector());
  const auto stone = system.materials.add_surface("stone", friction(0.7));
  add_obstacle(system, locdyn::Plane{}, stone);
  const double radius = 10;
  std::vector<locdyn::BodyId> arch;
  for (int k = 0; k < count; ++k) {
    const double a = std::numbers::pi * k / count, b = std::numbers::pi * (k + 1) / count;
    arch.push_back(add_solid(system, voussoir(radius * (1 - thickness / 2), radius * (1 + thickness / 2), a, b),
                             {.density = 2500, .surface = stone}));
  }
  std::vector<double> height;
  for (const locdyn::BodyId block : arch) height.push_back(position_of(system, block).z());

  std::printf("thickness %.3f of the radius\n", thickness);
  locdyn::TimeStepper stepper(system, {.step = 5e-3});
  run(stepper, time);
  double sunk = 0;
  for (int k = 0; k < count; ++k) sunk = std::max(sunk, height[k] - position_of(system, arch[k]).z());
  return sunk;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 40;
  const double stands = sinks(0.115, count, 2.0), falls = sinks(0.100, count, 0.65);
  bool right = agrees("0.115 (above 0.1075): sinks by [m]", stands, 0, 1e-6);
  const bool fell = falls > 0.1;
  std::printf("0.100 (below 0.1075): sinks by %.3f m, by hand it falls%s\n", falls, fell ? "" : "  WRONG");
  return right && fell ? 0 : 1;
}
