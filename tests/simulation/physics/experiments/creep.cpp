#include "creep.hpp"

#include <algorithm>
#include <cmath>

namespace locdyn::physics {

void add_wall(Scene& scene, const Wall& wall) {
  constexpr double pitch = 0.22, depth = 0.11, height = 0.07;
  scene.add_obstacle(Plane{});
  for (int course = 0; course < wall.courses; ++course) {
    const bool staggered = course % 2 == 1;
    for (int i = 0; i < wall.bricks + staggered; ++i) {
      const bool half = staggered && (i == 0 || i == wall.bricks);
      const double left = staggered ? std::max(0.0, i - 0.5) : i, length = (half ? 0.5 : 1) * pitch;
      scene.add(Box{{length - wall.joint, depth, height}},
                {.position = {left * pitch + length / 2, 0, (course + 0.5) * height}});
    }
  }
}

void add_loaded_stack(Scene& scene, double ratio) {
  scene.add_obstacle(Plane{});
  for (int i = 0; i < 11; ++i) {
    scene.add(Box{{0.2, 0.2, 0.1}}, {.position = {0, 0, 0.05 + 0.1 * i}}, i == 10 ? ratio * kDensity : kDensity);
  }
}

void add_incline(Scene& scene, double share) {
  const Orientation tilt(Eigen::AngleAxisd(share * std::atan(0.5), Vector3d::UnitY()));
  scene.add_obstacle(Plane{}, {.orientation = tilt});
  scene.add(Box{{0.3, 0.2, 0.1}}, {.position = tilt * Vector3d(0, 0, 0.05), .orientation = tilt});
}

Creep creep_of(Scene& scene, double duration, const TimeStepperOptions& wanted) {
  constexpr double settled = 5;  // [s]
  TimeStepperOptions options = wanted;
  options.sleep = false;  // it is the solver that is asked here
  TimeStepper stepper(scene.system, options);
  Creep creep;
  std::vector<Eigen::VectorXd> before;
  while (stepper.time() < duration - options.step / 2) {
    const StepReport report = stepper.step();
    const bool failed = report.status != SolveStatus::converged;
    creep.failed += failed;
    if (stepper.time() < settled - options.step / 2) continue;
    const BodySet& bodies = scene.system.bodies();
    if (before.empty()) {
      for (const BodyId id : bodies.ids()) before.push_back(bodies[id].configuration());
    }
    creep.failed_at_rest += failed;
    creep.speed = std::max(creep.speed, report.largest_speed);
  }
  for (BodyId id{0}; id < before.size(); ++id) {
    const Eigen::VectorXd now = scene.system.bodies()[id].configuration();
    creep.way = std::max(creep.way, (now - before[id]).head<3>().norm());
  }
  return creep;
}

}  // namespace locdyn::physics
