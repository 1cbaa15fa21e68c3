// Scenes with contacts, stepped: what comes with the program, and what cannot be solved.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <locdyn/io/scene/build_scene.hpp>

using namespace locdyn;

#ifdef LOCDYN_WITH_BULLET
TEST_CASE("every example scene steps: all converge, nothing deeper than a millimetre") {
  const std::filesystem::path folder = std::filesystem::path(LOCDYN_SOURCE_DIR) / "scenes";
  std::vector<std::filesystem::path> files;
  for (const char* name : {"arch", "buggy", "chain", "dominoes", "drum", "stack", "wall"}) {
    files.push_back(folder / (std::string(name) + ".json"));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder / "moving")) files.push_back(entry.path());
  CHECK(files.size() > 20);
  for (const std::filesystem::path& file : files) {
    CAPTURE(file.string());
    const Scene scene = read_scene(file);
    const auto system = build(scene);
    TimeStepper stepper(*system, scene.stepping);
    for (int i = 0; i < 20; ++i) {
      const StepReport report = stepper.step();
      CAPTURE(report.step);
      CAPTURE(report.warning);
      CHECK(report.status == SolveStatus::converged);
      CHECK(report.penetration < 1e-3);
    }
  }
}

TEST_CASE("a paddle jams what fills a bin: steps that no reactions solve end soon, and say so") {
  const Scene scene = parse_scene(R"({"step": 0.004166666666666667, "duration": 1, "solver": {"tolerance": 1e-4},
    "surfaces": {"wood": {"friction": 0.4}},
    "bodies": [
      {"name": "bin", "kind": "obstacle", "surface": "wood", "shapes": [
        {"type": "box", "size": [2.4, 2.4, 0.2], "position": [0, 0, -0.1]},
        {"type": "box", "size": [0.2, 2.4, 2], "position": [-1.1, 0, 1]},
        {"type": "box", "size": [0.2, 2.4, 2], "position": [1.1, 0, 1]},
        {"type": "box", "size": [2, 0.2, 2], "position": [0, -1.1, 1]},
        {"type": "box", "size": [2, 0.2, 2], "position": [0, 1.1, 1]}]},
      {"name": "paddle", "kind": "obstacle", "surface": "wood", "position": [0, 0, 0.3],
       "shape": {"type": "box", "size": [1.7, 0.12, 0.5]}}],
    "generators": [{"name": "grain", "type": "pile", "count": 60, "size": [0.14, 0.28], "across": [4, 4],
      "position": [0, 0, 0.7], "density": 900, "surface": "wood"}],
    "motions": [{"body": "paddle", "angular_velocity": {"times": [0, 2], "values": [[0, 0, 2], [0, 0, 2]]}}]})",
                                  "it.json");
  const auto system = build(scene);
  TimeStepper stepper(*system, scene.stepping);
  int failed = 0;
  long most = 0;
  for (int step = 0; step < 200; ++step) {
    const StepReport report = stepper.step();
    failed += report.failed();
    if (report.failed()) CHECK(report.warning.find("jams") != std::string::npos);
    most = std::max(most, report.iterations);
  }
  CHECK(failed > 0);
  CHECK(most < 10'000);  // 32 000 where rounds that creep go on
}
#endif
