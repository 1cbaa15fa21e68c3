#pragma once
// The JSON of a bench of scenes, written whole or not at all while the bench goes on.

#include <string>

#include "scene_bench.hpp"

namespace locdyn::app {

/// {"format", "date", "machine", "build", "settings", "runs": [SceneRun…], "rules", "unreadable", "interrupted"}, with
/// a newline.
[[nodiscard]] std::string scene_bench_json(const SceneBenchReport& report, const SceneBenchSettings& settings);

}  // namespace locdyn::app
