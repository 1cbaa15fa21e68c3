#include "drum.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace locdyn::physics {
namespace {

// Staves about the y axis, each with a rib on it (on a bare wall the outer grains roll), and two smooth planes at the
// ends.
BodyId add_drum(Scene& scene, const Drum& drum, SurfaceId surface) {
  constexpr int staves = 24;
  constexpr double sector = 2 * std::numbers::pi / staves, thickness = 0.1;
  const BodyId shell = scene.system.emplace<Obstacle>();
  const double length = 2 * (drum.radius + thickness) * std::tan(sector / 2);
  const Box stave{{thickness, drum.depth, length}}, rib{{drum.grain, drum.depth, drum.grain / 4}};
  for (int i = 0; i < staves; ++i) {
    const Orientation turn(Eigen::AngleAxisd(i * sector, Vector3d::UnitY()));
    const auto add = [&](const Box& shape, double radius) {
      scene.system.add_collider({.body = shell,
                                 .shape = shape,
                                 .position = turn * Vector3d(radius, 0, 0),
                                 .orientation = turn,
                                 .surface = surface});
    };
    add(stave, drum.radius + thickness / 2);
    add(rib, drum.radius);  // half of it stands out
  }
  for (const double side : {-1.0, 1.0}) {
    scene.system.add_collider(
        {.body = scene.system.emplace<Obstacle>(),
         .shape = Plane{},
         .position = {0, side * drum.depth / 2, 0},
         .orientation = Orientation(Eigen::AngleAxisd(side * std::numbers::pi / 2, Vector3d::UnitX())),
         .surface = SurfaceId{0}});
  }
  return shell;
}

// On a lattice in the lower part of the drum, which they fill to a good third when they have settled.
std::vector<BodyId> add_grains(Scene& scene, const Drum& drum) {
  std::mt19937 random(drum.seed);
  const auto uniform = [&](double a, double b) { return a + (b - a) * (static_cast<double>(random()) / 4294967296.0); };
  std::vector<BodyId> grains;
  const double cell = 1.02 * drum.grain;
  const int half = static_cast<int>(drum.radius / cell), deep = static_cast<int>(drum.depth / cell);
  for (int row = -half; row <= half / 3; ++row) {
    for (int column = -half; column <= half; ++column) {
      if (cell * std::hypot(row, column) > drum.radius - 1.1 * drum.grain) continue;
      for (int k = 0; k < deep; ++k) {
        const Place place{.position = cell * Vector3d(column, k - 0.5 * (deep - 1), row)};
        if (uniform(0, 1) >= drum.boxes) {
          grains.push_back(scene.add(Sphere{drum.grain / 2 * uniform(0.85, 1)}, place));
        } else {
          const double edge = 0.85 * drum.grain;
          grains.push_back(
              scene.add(Box{{edge * uniform(0.8, 1), edge * uniform(0.8, 1), edge * uniform(0.8, 1)}}, place));
        }
      }
    }
  }
  return grains;
}

// Of the mass centre about the axis, from straight down, against the sense of the x axis [rad].
double rise(const Scene& scene, const std::vector<BodyId>& grains) {
  Vector3d moment = Vector3d::Zero();
  for (const BodyId id : grains) moment += scene.body(id).mass() * scene.position(id);
  return std::atan2(-moment.x(), -moment.z());
}

}  // namespace

Repose angle_of_repose(const Drum& drum, const TimeStepperOptions& options) {
  Scene scene({.static_friction = drum.friction, .kinetic_friction = drum.friction});
  const SurfaceId rough = scene.system.materials.add_surface("drum", {});
  scene.system.materials.set_pair(scene.surface(), rough, {.static_friction = 1, .kinetic_friction = 1});
  scene.system.materials.set_pair(scene.surface(), SurfaceId{0}, {});
  const BodyId shell = add_drum(scene, drum, rough);
  const std::vector<BodyId> grains = add_grains(scene, drum);
  scene.system.add_drive(shell, [spin = drum.spin](double, double) {
    return ObstacleMotion{.angular_velocity = {0, spin, 0}};
  });

  TimeStepper stepper(scene.system, options);
  Repose repose{.grains = static_cast<int>(grains.size())};
  double sum = 0, squares = 0;
  int samples = 0;
  while (stepper.time() < drum.duration) {
    const StepReport report = stepper.step();
    repose.failed += report.status != SolveStatus::converged;
    repose.seconds += report.seconds.solve;
    if (stepper.time() < drum.duration / 2) continue;
    const double angle = rise(scene, grains) * 180 / std::numbers::pi;
    sum += angle;
    squares += angle * angle;
    ++samples;
  }
  repose.mean = sum / samples;
  repose.deviation = std::sqrt(std::max(0.0, squares / samples - repose.mean * repose.mean));
  return repose;
}

}  // namespace locdyn::physics
