#pragma once
// Another build of locdyn on the same scene, an older one too: `simulate`, whose table of energies tells the steps.

#include <functional>
#include <string>
#include <vector>

#include "scene_run.hpp"

namespace locdyn::app {

/// Runs `program simulate run.file` with `run.solver`, `run.tolerance` and that many threads, ended after `limit_s`
/// seconds of processor time (a whole number, rounded up), and fills in steps and status. Its table holds wall-clock
/// times of the stages of each step; they are turned into processor time by the share of a processor that its process
/// had. False where it was interrupted.
[[nodiscard]] bool run_other_build(const std::string& program, const std::vector<std::string>& surroundings,
                                   int threads, double limit_s, const std::function<bool()>& interrupted,
                                   SceneRun& run);

/// The steps in a table of energies, a last line that was cut short left out; empty where a column is missing.
[[nodiscard]] std::vector<StepSample> steps_in_table(const std::string& file);

}  // namespace locdyn::app
