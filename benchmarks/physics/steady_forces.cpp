// Forces of least norm of what rests: a table on four feet and a wall of 100 bricks, 1000 steps after they have come to
// rest. Beside them what changes without least norm.
//
//   benchmark_steady_forces [steps]

#include <creep.hpp>
#include <steady_forces.hpp>

#include <cstdio>
#include <cstdlib>
#include <functional>

using namespace locdyn;
using namespace locdyn::physics;

namespace {

struct Example {
  const char* name;
  int settling;  // steps
  std::function<void(Scene&)> add;
};

bool judge(const Example& example, double tolerance, int steps) {
  constexpr double kMostChange = 1e-9;
  SteadyForces of[2];
  for (const bool least : {true, false}) {
    Scene scene({.static_friction = 0.6, .kinetic_friction = 0.6});
    example.add(scene);
    TimeStepperOptions options = with_least_norm(1e-3, tolerance);
    options.least_norm = least;
    TimeStepper stepper(scene.system, options);
    of[least ? 0 : 1] = steady_forces(stepper, example.settling, steps);
  }
  std::printf("%-6s %8zu %6.0e %6d %10.1e %8.0e %6d %16.1e\n", example.name, of[0].contacts, tolerance, steps,
              of[0].change, kMostChange, of[0].failed, of[1].change);
  std::fflush(stdout);
  return of[0].same && of[0].failed == 0 && of[0].change <= kMostChange;
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (steps < 1) {
    std::fprintf(stderr, "benchmark_steady_forces: steps: expected a number >= 1, found '%s'\n", argv[1]);
    return 2;
  }
  const Example examples[] = {
      {"table", 100, [](Scene& scene) { add_table(scene); }},
      {"wall", 100, [](Scene& scene) { add_wall(scene, {.courses = 10, .bricks = 10}); }},
  };
  std::printf("change: largest of any reaction, as a share of the largest; failed: steps\n");
  std::printf("%-6s %8s %6s %6s %10s %8s %6s %16s\n", "what", "contacts", "tol", "steps", "change", "bound", "failed",
              "not least norm");
  bool within = true;
  for (const Example& example : examples) within = judge(example, 1e-12, steps) && within;
  return within ? 0 : 1;
}
