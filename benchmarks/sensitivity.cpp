// What derivatives of a step cost beside the step: a wall of bricks at rest and a pile of balls of N
// bodies. A line a scene: processor seconds of a step with the residual it reached, of its linearisation and factor, of
// the first adjoint and of the next two at the same state, and all over the first. The medians of ten steps.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <stdexcept>
#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/sensitivity/differentiated_step.hpp>

namespace {

using namespace locdyn;

double seconds_since(std::clock_t began) {
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

SurfaceId start(System& system) {
  const SurfaceId of = system.materials.add_surface("s", {.static_friction = 0.5, .kinetic_friction = 0.5});
  const BodyId ground = system.emplace<Obstacle>();
  system.add_collider({.body = ground, .shape = Plane{}, .surface = of});
  return of;
}

void make_wall(System& system, int bodies) {
  const SurfaceId of = start(system);
  const Eigen::Vector3d size(0.2, 0.1, 0.06);
  const int across = std::max(2, bodies / 10);
  for (int k = 0; k < bodies; ++k) {
    const int row = k / across;
    const BodyId id = system.emplace<RigidBody>(
        box_mass(1800, size), Eigen::Vector3d(0.2 * (k % across) + 0.1 * (row % 2), 0, 0.03 + 0.06 * row));
    system.add_collider({.body = id, .shape = Box{size}, .surface = of});
  }
}

void make_pile(System& system, int bodies) {
  const SurfaceId of = start(system);
  const BodyId sides = system.emplace<Obstacle>();
  const double half = 0.11 * std::cbrt(bodies);
  for (const Eigen::Vector3d& turn : {Eigen::Vector3d(0, 1, 0), {0, -1, 0}, {1, 0, 0}, {-1, 0, 0}}) {
    const Orientation to_side = exponential(1.5707963267948966 * turn);
    system.add_collider({.body = sides,
                         .shape = Plane{},
                         .position = -half * (to_side * Eigen::Vector3d::UnitZ()),
                         .orientation = to_side,
                         .surface = of});
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<double> jitter(-0.01, 0.01);
  const int across = static_cast<int>(2 * half / 0.23);
  for (int k = 0; k < bodies; ++k) {
    const Eigen::Vector3d place(k % across, k / across % across, k / (across * across));
    const BodyId id = system.emplace<RigidBody>(
        sphere_mass(1000, 0.1),
        0.23 * place + Eigen::Vector3d(0.12 - half + jitter(random), 0.12 - half + jitter(random), 0.15));
    system.add_collider({.body = id, .shape = Sphere{0.1}, .surface = of});
  }
}

void measure(const char* name, void (*make)(System&, int), int bodies, int settle) {
  System system(make_bullet_detector());
  make(system, bodies);
  TimeStepperOptions options;
  options.step = 5e-3;
  options.sleep = false;
  options.correction = Correction::none;
  TimeStepper stepper(system, options);
  for (int k = 0; k < settle; ++k) stepper.step();
  std::vector<double> plain, differentiated, first, next;
  double residual = 0;
  std::size_t contacts = 0, edges = 0;
  long solves = 0;
  for (int k = 0; k < 10; ++k) {
    const std::clock_t began = std::clock();
    stepper.step();
    plain.push_back(seconds_since(began));
    const std::clock_t again = std::clock();
    const DifferentiatedStep step(system, stepper);
    differentiated.push_back(seconds_since(again));
    StepResponse by = step.no_response();
    by.state.u.setOnes();
    for (int asked = 0; asked < 3; ++asked) {
      const std::clock_t back = std::clock();
      try {
        (void)step.adjoint(by);
      } catch (const std::runtime_error& fault) {
        std::printf("%s\n", fault.what());
      }
      (asked == 0 ? first : next).push_back(seconds_since(back));
    }
    residual = std::max(residual, step.report().residual);
    contacts = step.report().contacts;
    edges = step.not_strict().size();
    solves = std::max(solves, step.most_solves());
  }
  const double own = median(plain), made = median(differentiated) - own;
  std::printf(
      "%s of %d, %zu contacts (%zu on an edge): step %.2e s (residual %.1e), linearised in %.2e s, adjoint %.2e s, "
      "again %.2e s (%ld solves); over the step %.2f, %.2f and %.2f\n",
      name, bodies, contacts, edges, own, residual, made, median(first), median(next), solves, made / own,
      median(first) / own, median(next) / own);
}

}  // namespace

int main(int count, char** arguments) {
  const int bodies = count > 1 ? std::atoi(arguments[1]) : 200;
  measure("wall at rest", &make_wall, bodies, 20);
  measure("pile", &make_pile, bodies, 100);
}
