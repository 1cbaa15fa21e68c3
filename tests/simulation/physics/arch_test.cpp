// Milankovitch's thinnest semicircular arch with radial joints: thickness over centre-line radius 0.1075 (Makris &
// Alexakis, Arch. Appl. Mech. 83 (2013) 303–314; Heyman's 0.1060 takes the thrust's height without the voussoirs' own).

#include "experiments/arch.hpp"
#include "scene.hpp"

#include <cmath>

namespace locdyn::physics {
namespace {

// How far the crown of an arch of 40 voussoirs sinks in `seconds` [m]; the centre-line radius is 1 m.
double crown_sinks(double thickness, double seconds) {
  Scene scene({.static_friction = 0.7, .kinetic_friction = 0.7, .restitution = 0});
  const BodyId crown = add_arch(scene, thickness);
  const double before = scene.position(crown).z();
  TimeStepper stepper(scene.system, {.step = 5e-3, .stop = {.tolerance = 1e-8, .max_iterations = 100'000}});
  run(stepper, seconds);
  return before - scene.position(crown).z();
}

TEST_CASE("A semicircular arch stands at t/r = 0.115 and falls at 0.100") {
  CHECK(std::abs(crown_sinks(0.115, 2)) < 1e-5);
  CHECK(crown_sinks(0.100, 1) > 1e-2);
}

}  // namespace
}  // namespace locdyn::physics
