// Rest costs nothing: the step of a ball that rolls over the plane, alone, and beside bricks at rest.
//
//   benchmark_rest [BRICKS…]     default 1000 10000 100000
//
// Bricks of 1 m lie 4 m apart in rows to both sides of the ball's way; each is an island of its own (of 100 000 bricks
// that touch each other one would wake all). They fall asleep in the first steps, then the ball's steps are timed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "measure.hpp"

using namespace locdyn;
using Eigen::Vector3d;

namespace {

constexpr double kStep = 1e-3, kSpeed = 2, kApart = 4;  // [s, m/s, m]
constexpr int kSettling = 40, kRounds = 10, kSteps = 200;

BodyId add_solid(System& system, const Shape& shape, const Vector3d& position) {
  const BodyId body = system.add(std::make_unique<RigidBody>(mass_properties(shape, 1000), position));
  system.add_collider({.body = body, .shape = shape});
  return body;
}

// [MiB]
double memory() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096 / 1048576;
}

struct Scene {
  System system{make_bullet_detector()};
  std::unique_ptr<TimeStepper> stepper;

  explicit Scene(int bricks) {
    system.materials.set_pair(SurfaceId{0}, SurfaceId{0}, {.static_friction = 0.5, .kinetic_friction = 0.5});
    system.add_collider({.body = system.add(std::make_unique<Obstacle>()), .shape = Plane{}});
    const int side = std::max(1, static_cast<int>(std::lround(std::sqrt(bricks))));
    for (int k = 0; k < bricks; ++k) {
      const int row = k / side;
      const double y = kApart * (row % 2 == 0 ? row / 2 + 0.5 : -row / 2 - 0.5);
      add_solid(system, Box{{1, 1, 1}}, {kApart * (k % side), y, 0.5});
    }
    const BodyId ball = add_solid(system, Sphere{0.5}, {0, 0, 0.5});
    Eigen::VectorXd u(6);
    u << 0, kSpeed / 0.5, 0, kSpeed, 0, 0;
    system.bodies()[ball].set_velocity(u);
    stepper = std::make_unique<TimeStepper>(system, TimeStepperOptions{.step = kStep});
  }
};

struct Measured {
  double best = INFINITY, mean = 0;  // of a step [s]
  StepReport last;
};

Measured measure(Scene& scene) {
  Measured measured;
  for (int round = 0; round < kRounds; ++round) {
    const double start = benchmark::thread_seconds_now();
    for (int i = 0; i < kSteps; ++i) measured.last = scene.stepper->step();
    const double seconds = (benchmark::thread_seconds_now() - start) / kSteps;
    measured.best = std::min(measured.best, seconds);
    measured.mean += seconds / kRounds;
  }
  return measured;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {1000, 10'000, 100'000};
  sizes.insert(sizes.begin(), 0);

  std::printf("%8s %10s %12s %12s %8s %8s %10s %10s\n", "bricks", "asleep", "step [us]", "mean [us]", "ratio", "mean",
              "memory MiB", "residual");
  Measured alone;
  bool within = true;
  for (const int bricks : sizes) {
    const double before = memory();
    Scene scene(bricks);
    const double start = benchmark::thread_seconds_now();
    for (int i = 0; i < kSettling; ++i) (void)scene.stepper->step();
    const double settling = benchmark::thread_seconds_now() - start;
    const Measured measured = measure(scene);
    if (bricks == 0) alone = measured;
    const double ratio = measured.best / alone.best;
    std::printf("%8d %10zu %12.2f %12.2f %8.2f %8.2f %10.0f %10.1e   (settling %.1f s)\n", bricks,
                measured.last.sleeping, 1e6 * measured.best, 1e6 * measured.mean, ratio, measured.mean / alone.mean,
                memory() - before, measured.last.residual, settling);
    std::fflush(stdout);
    within = within && ratio <= 2 && measured.last.sleeping == static_cast<std::size_t>(bricks);
  }
  std::printf("at most twice the ball alone, every brick asleep: %s\n", within ? "yes" : "NO");
  return within ? 0 : 1;
}
