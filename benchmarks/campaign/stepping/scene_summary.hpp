#pragma once
// The runs of a bench of scenes for people: a table a scene, times in milliseconds, a line a run.

#include <span>
#include <string>

#include "scene_run.hpp"

namespace locdyn::app {

/// Each number of steps, work and time stands beside the residual that it bought: median and worst over the steps.
[[nodiscard]] std::string scene_summary(std::span<const SceneRun> runs);

}  // namespace locdyn::app
