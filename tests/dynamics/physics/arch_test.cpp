// Milankovitch's thinnest semicircular arch with radial joints: thickness over centre-line radius 0.1075 (Makris &
// Alexakis, Arch. Appl. Mech. 83 (2013) 303–314; Heyman's 0.1060 takes the thrust's height without the voussoirs' own).

#include "scene.hpp"

#include <cmath>
#include <numbers>

namespace locdyn::physics {
namespace {

// How far the crown of an arch of 40 voussoirs sinks in `seconds` [m]; the centre-line radius is 1 m.
double crown_sinks(double thickness, double seconds) {
  constexpr int count = 40;
  constexpr double sector = std::numbers::pi / count;
  Scene scene({.static_friction = 0.7, .kinetic_friction = 0.7, .restitution = 0});
  BodyId crown = 0;
  for (int i = -1; i <= count; ++i) {
    ConvexHull hull;
    for (const double angle : {i * sector, (i + 1) * sector}) {
      for (const double radius : {1 - 0.5 * thickness, 1 + 0.5 * thickness}) {
        for (const double y : {-0.1, 0.1})
          hull.points.emplace_back(-radius * std::cos(angle), y, radius * std::sin(angle));
      }
    }
    if (i < 0 || i == count) {
      scene.add_obstacle(hull);
    } else {
      const BodyId id = scene.add(hull, {.position = mass_properties(hull, kDensity).center});
      if (i == count / 2) crown = id;
    }
  }
  const double before = scene.position(crown).z();
  TimeStepper stepper(scene.system, {.step = 5e-3, .tolerance = 1e-8});
  run(stepper, seconds);
  return before - scene.position(crown).z();
}

TEST_CASE("A semicircular arch stands at t/r = 0.115 and falls at 0.100") {
  CHECK(std::abs(crown_sinks(0.115, 2)) < 1e-5);
  CHECK(crown_sinks(0.100, 2) > 1e-2);
}

}  // namespace
}  // namespace locdyn::physics
