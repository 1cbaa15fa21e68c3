#pragma once
// locdyn bench on scenes: its options are those of `bench` that mean something for steps.

#include <string>
#include <vector>

#include "scene_bench.hpp"

namespace locdyn::app {

struct SceneBenchRequest {
  std::vector<std::string> what;
  SceneBenchSettings settings;
  std::string peers, output, plot;
};

/// Runs, keeps, sums up and draws; returns the exit status. Throws UsageError and FileError before anything is run.
[[nodiscard]] int bench_scenes(const SceneBenchRequest& request);

}  // namespace locdyn::app
