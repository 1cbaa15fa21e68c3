// The energy of a body that topples about an edge that sticks: exact but for O(h²).

#include <algorithm>
#include <cmath>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

struct Toppling {
  double error = 0;  // largest |E − E₀| over what was released
  double slip = 0;   // how far the edge has gone [m]
};

// A tall box on one edge, leaning past its tipping point, rough enough to stick; `yaw` turns the edge away from the
// axes, so that both tangents matter.
Toppling topple(double h, double yaw) {
  FloorScene scene(rough(5));
  const Box box{{0.2, 0.3, 1}};
  const Orientation lean(Eigen::AngleAxisd(yaw, Vector3d::UnitZ()) * Eigen::AngleAxisd(0.5, Vector3d::UnitY()));
  const Vector3d edge(0.1, 0, -0.5);  // in the body
  const BodyId body = add_solid(scene.system, box, -(lean * edge), lean);
  TimeStepper stepper(scene.system, {.step = h, .stop = {.tolerance = 1e-11}});
  const double start = scene.system.bodies().potential_energy(scene.system.gravity);
  Toppling result;
  double released = 0;
  while (stepper.time() < 0.3 - h / 2) {
    const StepReport report = stepper.step();
    CHECK_MESSAGE(report.status == SolveStatus::converged, report.warning);
    result.error = std::max(result.error, std::abs(report.kinetic_energy + report.potential_energy - start));
    released = std::max(released, report.kinetic_energy);
  }
  CHECK(released > 0.05 * start);  // it has fallen a good way
  result.error /= released;
  result.slip = scene.system.bodies()[body].to_space(edge).norm();
  return result;
}

}  // namespace

TEST_CASE("a box that topples about a sticking edge has an energy error of second order") {
  for (const double yaw : {0.0, 0.6}) {
    CAPTURE(yaw);
    const Toppling coarse = topple(4e-3, yaw), half = topple(2e-3, yaw), fine = topple(1e-3, yaw);
    CAPTURE(coarse.error);
    CAPTURE(half.error);
    CAPTURE(fine.error);
    CHECK(coarse.error > 3.5 * half.error);
    CHECK(half.error > 3.5 * fine.error);
    CHECK(fine.error < 1e-5);
    // The edge moves by h (U + V)/2 a step, which sums up to O(h²) too.
    CHECK(fine.slip < 1e-5);
    CHECK(half.slip > 3.5 * fine.slip);
  }
}
