// Milankovitch's thinnest semicircular arch with radial joints, thickness over centre-line radius 0.1075: 40 voussoirs
// stand at 0.115 and fall at 0.100, solved to 1e-11.
//
//   benchmark_arch

#include <arch.hpp>

#include <cstdio>

using namespace locdyn;
using namespace locdyn::physics;

int main() {
  constexpr double h = 5e-3, tolerance = 1e-11, duration = 3;
  bool within = true;
  std::printf("friction 0.7, h = %.0e s, tolerance %.0e, %.0f s\n", h, tolerance, duration);
  std::printf("%9s %14s %12s %14s %7s\n", "thickness", "crown sinks", "expected", "largest speed", "failed");
  for (const double thickness : {0.115, 0.1}) {
    Scene scene({.static_friction = 0.7, .kinetic_friction = 0.7});
    const BodyId crown = add_arch(scene, thickness);
    const double before = scene.position(crown).z();
    TimeStepper stepper(scene.system, {.step = h, .stop = {.tolerance = tolerance}});
    int failed = 0;
    double speed = 0;
    while (stepper.time() < duration) {
      const StepReport report = stepper.step();
      failed += report.status != SolveStatus::converged;
      speed = report.largest_speed;
    }
    const bool stands = thickness > 0.1075;
    const double sinks = before - scene.position(crown).z();
    within = within && (stands ? sinks < 1e-6 : sinks > 0.05);
    std::printf("%9.3f %12.2e m %12s %10.1e m/s %7d\n", thickness, sinks, stands ? "< 1e-06 m" : "> 0.05 m", speed,
                failed);
    std::fflush(stdout);
  }
  return within ? 0 : 1;
}
