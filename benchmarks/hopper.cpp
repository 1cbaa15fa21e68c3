// Discharge of a hopper: four slanted plates about an orifice, filled with mixed spheres and boxes, by size: every step
// converges, memory is flat, and the time per contact does not grow with the number of bodies. One thread, processor
// time.
//
//   benchmark_hopper [--steps N] [--tolerance T] [--solver S] [BODIES…]
//
// by default 1000 steps, 1e-4 and auto, of 1000, 3000 and 10 000 bodies.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "measure.hpp"

namespace {

using namespace locdyn;
using Eigen::Vector3d;

constexpr double kCell = 0.102;     // of the lattice that the bodies start on, half full: a loose packing [m]
constexpr double kOrifice = 0.5;    // side [m]
constexpr double kThickness = 0.2;  // of the plates [m]
constexpr double kSlope = 0.9;      // of the plates: angle above the horizontal [rad]

class Hopper {
 public:
  Hopper(int count, const TimeStepperOptions& options) : system_(make_bullet_detector()) {
    surface_ = system_.materials.add_surface("grain", {.static_friction = 0.4, .kinetic_friction = 0.4});
    const int side = std::max(4, static_cast<int>(std::lround(std::cbrt(count / 2.0))));
    add_plates(0.5 * side * kCell);
    fill(count, side);
    stepper_.emplace(system_, options);
  }
  StepReport step() { return stepper_->step(); }

 private:
  // The plates' inner faces leave the orifice's edges, z = 0, at the slope's angle; walls stand on them.
  void add_plates(double half_width) {
    const double drop = half_width + kCell - 0.5 * kOrifice, length = drop / std::cos(kSlope);
    const double rim = drop * std::tan(kSlope), wall = 6 * half_width + 2;
    const BodyId hopper = system_.emplace<Obstacle>();
    for (int k = 0; k < 4; ++k) {
      const Orientation turn(Eigen::AngleAxisd(k * std::acos(0.0), Vector3d::UnitZ()));
      const Orientation tilt(Eigen::AngleAxisd(-kSlope, Vector3d::UnitY()));
      const Vector3d along = tilt * Vector3d::UnitX(), inwards = tilt * Vector3d::UnitZ();
      const Vector3d slanted = Vector3d(0.5 * kOrifice, 0, 0) + 0.5 * length * along - 0.5 * kThickness * inwards;
      const double breadth = 2 * (half_width + kCell) + 1;
      system_.add_collider({.body = hopper,
                            .shape = Box{{length, breadth, kThickness}},
                            .position = turn * slanted,
                            .orientation = turn * tilt,
                            .surface = surface_});
      system_.add_collider({.body = hopper,
                            .shape = Box{{kThickness, breadth, wall}},
                            .position = turn * Vector3d(half_width + kCell + 0.5 * kThickness, 0, rim + 0.5 * wall),
                            .orientation = turn,
                            .surface = surface_});
    }
  }

  void fill(int count, int side) {
    std::mt19937 random(1);
    // Layer by layer from the orifice up, as many cells as the funnel holds there, at most side by side.
    int i = 0;
    for (int layer = 1; i < count; ++layer) {
      const double room = 0.5 * kOrifice + layer * kCell / std::tan(kSlope) - kCell;
      const int row = std::clamp(static_cast<int>(2 * room / kCell), 1, side);
      for (int cell = 0; cell < row * row && i < count; ++cell, ++i) {
        place(i, kCell * Vector3d(cell % row - 0.5 * (row - 1), cell / row - 0.5 * (row - 1), layer), random);
      }
    }
  }

  void place(int i, const Vector3d& position, std::mt19937& random) {
    const auto uniform = [&](double a, double b) {
      return a + (b - a) * (static_cast<double>(random()) / 4294967296.0);
    };
    Collider collider{.surface = surface_};
    if (i % 2 == 0) {
      collider.shape = Sphere{uniform(0.045, 0.05)};
    } else {
      collider.shape = Box{{uniform(0.07, 0.095), uniform(0.07, 0.095), uniform(0.07, 0.095)}};
    }
    const Orientation turn = exponential({uniform(-0.03, 0.03), uniform(-0.03, 0.03), uniform(-0.03, 0.03)});
    collider.body = system_.emplace<RigidBody>(mass_properties(collider.shape, 2000), position, turn);
    system_.add_collider(collider);
  }

  System system_;
  SurfaceId surface_{0};
  std::optional<TimeStepper> stepper_;
};

// VmRSS [MiB].
double memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmRSS:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

double discharge(int count, int steps, const TimeStepperOptions& options) {
  Hopper hopper(count, options);
  std::vector<double> per_contact;
  int failed = 0;
  double early = 0, half = 0, total = 0;
  std::size_t contacts = 0;
  for (int i = 0; i < steps; ++i) {
    const double start = benchmark::thread_seconds_now();
    const StepReport report = hopper.step();
    const double seconds = benchmark::thread_seconds_now() - start;
    total += seconds;
    failed += report.status != SolveStatus::converged;
    contacts = report.contacts;
    if (contacts > static_cast<std::size_t>(count)) per_contact.push_back(seconds / static_cast<double>(contacts));
    if (i == 100) early = memory();
    if (i == steps / 2) half = memory();
    if (i % 100 == 99) {
      std::fprintf(stderr, "%d bodies, step %d: %zu contacts, %.0f s\n", count, i + 1, contacts, total);
    }
  }
  double median = 0;
  if (!per_contact.empty()) {
    std::nth_element(per_contact.begin(), per_contact.begin() + per_contact.size() / 2, per_contact.end());
    median = per_contact[per_contact.size() / 2];
  }
  std::printf("%6d %6d %7d %9zu %10.1f %12.3f %9.1f %9.1f %9.1f\n", count, steps, failed, contacts, 1e3 * total / steps,
              1e6 * median, early, half, memory());
  std::fflush(stdout);
  return median;
}

}  // namespace

int main(int argc, char** argv) {
  int steps = 1000;
  TimeStepperOptions options{.stop = {.tolerance = 1e-4}};
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--steps") == 0 && i + 1 < argc) {
      steps = std::atoi(argv[++i]);
    } else if (std::strcmp(argv[i], "--tolerance") == 0 && i + 1 < argc) {
      options.stop.tolerance = std::atof(argv[++i]);
    } else if (std::strcmp(argv[i], "--solver") == 0 && i + 1 < argc) {
      options.solver = argv[++i];
    } else {
      sizes.push_back(std::atoi(argv[i]));
    }
  }
  if (sizes.empty()) sizes = {1000, 3000, 10000};
  std::printf("%s to %.0e, h = 1 ms; time per contact is the median of the steps with more contacts than bodies\n",
              options.solver.c_str(), options.stop.tolerance);
  std::printf("%6s %6s %7s %9s %10s %12s %9s %9s %9s\n", "bodies", "steps", "failed", "contacts", "ms/step",
              "us/contact", "MiB @100", "MiB @half", "MiB @end");
  std::vector<double> times;
  for (const int count : sizes) times.push_back(discharge(count, steps, options));
  std::printf("time per contact, largest over smallest: %.2f\n",
              *std::max_element(times.begin(), times.end()) / *std::min_element(times.begin(), times.end()));
  return 0;
}
