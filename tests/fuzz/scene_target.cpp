// Scenes: any text. What the reader takes is built and stepped where it is small.

#include <algorithm>
#include <filesystem>
#include <io/scene/scene_documents.hpp>
#include <locdyn/io/scene/build_mechanism.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/simulation/time_stepper.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "refusal.hpp"
#include "scratch_file.hpp"
#include "target_list.hpp"

namespace locdyn::fuzz {
namespace {

constexpr double kMostBodies = 40;

double body_count(const SceneGenerator& generator) {
  struct Count {
    double operator()(const SceneWall& g) const { return (g.bricks + 1.0) * g.courses; }
    double operator()(const SceneTower& g) const { return 1.0 * g.layers * g.planks; }
    double operator()(const SceneArch& g) const { return g.voussoirs; }
    double operator()(const ScenePile& g) const { return g.count; }
    double operator()(const SceneRow& g) const { return g.count; }
  };
  return std::visit(Count{}, generator.type);
}

bool small(const Scene& scene) {
  double bodies = static_cast<double>(scene.bodies.size());
  for (const SceneGenerator& generator : scene.generators) bodies += body_count(generator);
  return bodies <= kMostBodies && scene.robots.empty();
}

}  // namespace

void run_scene(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  refused(
      [&] {
        const Scene scene = parse_scene(text);
        if (!small(scene)) return;
        if (scene.is_mechanism()) {
          (void)build_mechanism(scene);
          return;
        }
        const auto system = build(scene);
        TimeStepperOptions options = scene.stepping;
        options.stop.max_iterations = std::min(options.stop.max_iterations, 30L);
        options.stop.threads = 1;
        TimeStepper stepper(*system, options);
        try {
          for (int step = 0; step < 2; ++step) (void)stepper.step();
        } catch (const StepFailure&) {               // what the scene asks for where a step does not converge
        } catch (const std::runtime_error& fault) {  // a body that finds no velocity in so long a step
          check_message(fault.what(), false);
        }
      },
      true);
}

std::vector<Input> seeds_of_scene() {
  std::vector<Input> seeds = {bytes_of(test::full_scene().dump(1))};
  for (const auto& file : std::filesystem::directory_iterator(LOCDYN_SOURCE_DIR "/scenes")) {
    if (file.path().extension() == ".json") seeds.push_back(content_of(file.path()));
  }
  std::sort(seeds.begin(), seeds.end());  // a folder has no order of its own
  return seeds;
}

}  // namespace locdyn::fuzz
