// Nothing creeps: a wall of 400 bricks in running bond, a stack under a thousand times its weight, a box on a slope at
// 98 % of the angle of friction, for a minute.
//
//   benchmark_creep [wall|touching|stack|incline]

#include <creep.hpp>

#include <cstdio>
#include <cstring>
#include <functional>

using namespace locdyn;
using namespace locdyn::physics;

namespace {

struct Example {
  const char* name;
  double friction;
  double step;  // [s]
  std::function<void(Scene&)> build;
};

bool judge(const Example& example, double tolerance, double duration, double most_speed, double most_way) {
  Scene scene({.static_friction = example.friction, .kinetic_friction = example.friction});
  example.build(scene);
  const Creep creep = creep_of(scene, duration, {.step = example.step, .stop = {.tolerance = tolerance}});
  std::printf("%-9s %8.1e %9.0e %5.0f %10.1e %8.0e %10.1e %8.0e %7d %8d\n", example.name, example.step, tolerance,
              duration, creep.speed, most_speed, creep.way, most_way, creep.failed, creep.failed_at_rest);
  std::fflush(stdout);
  return creep.speed < most_speed && creep.way < most_way;
}

}  // namespace

int main(int argc, char** argv) {
  const Example examples[] = {
      {"incline", 0.5, 1e-2, [](Scene& scene) { add_incline(scene, 0.98); }},
      {"stack", 0.5, 1e-2, [](Scene& scene) { add_loaded_stack(scene, 1000); }},
      {"wall", 0.6, 2.5e-2, [](Scene& scene) { add_wall(scene, {}); }},
      {"touching", 0.6, 2.5e-2, [](Scene& scene) { add_wall(scene, {.joint = 0}); }},
  };
  bool within = true;
  std::printf("speed: largest after 5 s, way: largest from 5 s to the end; failed steps: all, and after 5 s\n");
  std::printf("%-9s %8s %9s %5s %10s %8s %10s %8s %7s %8s\n", "example", "step", "tolerance", "s", "speed", "bound",
              "way", "bound", "failed", "at rest");
  std::fflush(stdout);
  for (const Example& example : examples) {
    if (argc > 1 && std::strcmp(argv[1], example.name) != 0) continue;
    within = judge(example, TimeStepperOptions{}.stop.tolerance, 20, 1e-7, 1e-5) && within;
    within = judge(example, 1e-11, 60, 1e-9, 1e-8) && within;
  }
  return within ? 0 : 1;
}
