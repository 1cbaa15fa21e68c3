#include "domino_wave.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace locdyn::physics {
namespace {

constexpr double kTilt = 1e-3;  // a domino that has turned by this counts as hit [rad]

// Per mass: inertia about the lower edge, and g times the height of the mass centre at the angle θ.
double inertia(const DominoRow& row) {
  return (row.height * row.height + row.thickness * row.thickness) / 3;
}
double potential(const DominoRow& row, double angle) {
  return kGravity / 2 * (row.height * std::cos(angle) + row.thickness * std::sin(angle));
}

// The train behind a front at `angle`: inertia that the front feels and potential energy, per mass of a domino.
struct Train {
  double inertia = 0, potential = 0;
};
Train train_at(const DominoRow& row, double angle, int length) {
  Train train;
  double spin = 1;  // over the front's
  for (int i = 0; i < length; ++i) {
    train.inertia += inertia(row) * spin * spin;
    train.potential += potential(row, angle);
    const double pitch = row.spacing + row.thickness;
    const double lean = std::asin((pitch * std::cos(angle) - row.thickness) / row.height);
    spin *= 1 - pitch * std::sin(angle) / (row.height * std::cos(lean));
    angle += lean;
  }
  return train;
}

}  // namespace

double leaning_wave_speed(const DominoRow& row) {
  constexpr int dominoes = 60, intervals = 200;
  const double contact = std::asin(row.spacing / row.height);
  double spin = std::sqrt(kGravity / row.height), time = 0;
  for (int front = 1; front <= dominoes; ++front) {
    const Train start = train_at(row, 0, front);
    const double energy = start.inertia * spin * spin / 2 + start.potential;
    time = 0;
    for (int i = 0; i < intervals; ++i) {  // midpoint rule
      const double step = contact / intervals;
      const Train now = train_at(row, (i + 0.5) * step, front);
      time += step * std::sqrt(now.inertia / (2 * (energy - now.potential)));
    }
    const Train end = train_at(row, contact, front);
    spin = std::sqrt(2 * (energy - end.potential) / end.inertia) * end.inertia / (end.inertia + inertia(row));
  }
  return (row.spacing + row.thickness) / time;
}

double single_wave_speed(const DominoRow& row) {
  constexpr int intervals = 2000;
  const double contact = std::asin(row.spacing / row.height);
  const double fall = potential(row, 0) - potential(row, contact);
  const double energy = 0.25 * fall / 0.75;  // after a collision
  double time = 0;
  for (int i = 0; i < intervals; ++i) {
    const double kinetic = energy + potential(row, 0) - potential(row, (i + 0.5) * contact / intervals);
    if (!(kinetic > 0)) return 0;
    time += contact / intervals * std::sqrt(inertia(row) / (2 * kinetic));
  }
  return (row.spacing + row.thickness) / time;
}

std::vector<BodyId> add_dominoes(Scene& scene, const DominoRow& row, double spin) {
  const Box shape{{row.thickness, row.width, row.height}};
  const SurfaceId floor = scene.system.materials.add_surface("floor", {});
  scene.system.materials.set_pair(scene.surface(), floor, {.static_friction = 3, .kinetic_friction = 3});
  scene.system.add_collider({.body = scene.system.emplace<Obstacle>(), .shape = Plane{}, .surface = floor});
  std::vector<BodyId> dominoes;
  for (int i = 0; i < row.count; ++i) {
    dominoes.push_back(scene.add(shape, {.position = {i * (row.spacing + row.thickness), 0, row.height / 2}}));
  }
  const Vector3d turning(0, spin, 0), arm(-row.thickness / 2, 0, row.height / 2);
  scene.set_velocity(dominoes[0], turning.cross(arm), turning);
  return dominoes;
}

DominoWave simulate_domino_wave(const DominoRow& row, const TimeStepperOptions& options) {
  Scene scene({});
  const std::vector<BodyId> dominoes = add_dominoes(scene, row, 2 * std::sqrt(kGravity / row.height));
  TimeStepper stepper(scene.system, options);
  DominoWave wave;
  std::vector<double> arrival;
  double before = 0;  // tilt of the next domino
  while (arrival.size() < dominoes.size() && stepper.time() < 5) {
    wave.failed += stepper.step().status != SolveStatus::converged;
    while (arrival.size() < dominoes.size()) {
      const Orientation turn = scene.body(dominoes[arrival.size()]).orientation();
      const double tilt = 2 * std::atan2(turn.y(), turn.w());
      if (tilt < kTilt) {
        before = tilt;
        break;
      }
      arrival.push_back(stepper.time() - options.step * (tilt - kTilt) / (tilt - before));
      before = 0;
    }
  }
  if (arrival.size() < dominoes.size()) return wave;
  const std::size_t first = dominoes.size() / 2, last = dominoes.size() - 1;
  wave.speed = static_cast<double>(last - first) * (row.spacing + row.thickness) / (arrival[last] - arrival[first]);
  return wave;
}

}  // namespace locdyn::physics
