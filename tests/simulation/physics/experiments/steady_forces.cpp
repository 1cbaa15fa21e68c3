#include "steady_forces.hpp"

#include <algorithm>
#include <vector>

namespace locdyn::physics {

BodyId add_table(Scene& scene) {
  scene.add_obstacle(Plane{});
  const BodyId table = scene.add(Box{{1, 1, 0.1}}, {.position = {0, 0, 0.5}}, 100);
  for (const double x : {-0.4, 0.4}) {
    for (const double y : {-0.4, 0.4}) {
      scene.system.add_collider(
          {.body = table, .shape = Sphere{0.05}, .position = {x, y, -0.45}, .surface = scene.surface()});
    }
  }
  return table;
}

TimeStepperOptions with_least_norm(double step, double tolerance) {
  return {.step = step, .stop = {.tolerance = tolerance}, .least_norm = true, .sleep = false};
}

SteadyForces steady_forces(TimeStepper& stepper, int before, int steps) {
  SteadyForces result;
  const auto step = [&] {
    const StepReport report = stepper.step();
    result.failed += report.failed() || report.not_least_norm > 0;
  };
  for (int i = 0; i < before; ++i) step();
  const std::vector<ActiveContact> first = stepper.contacts();
  result.contacts = first.size();
  double size = 0, change = 0;
  for (const ActiveContact& contact : first) size = std::max(size, contact.reaction.norm());
  for (int i = 0; i < steps; ++i) {
    step();
    const std::vector<ActiveContact> now = stepper.contacts();
    result.same = now.size() == first.size() &&
                  std::equal(now.begin(), now.end(), first.begin(),
                             [](const ActiveContact& a, const ActiveContact& b) { return a.identity == b.identity; });
    if (!result.same) break;
    for (std::size_t k = 0; k < now.size(); ++k) {
      change = std::max(change, (now[k].reaction - first[k].reaction).norm());
    }
  }
  result.change = size > 0 ? change / size : 0;
  return result;
}

}  // namespace locdyn::physics
