#pragma once
// Another build of locdyn on the same scene, an older one too: `simulate`, whose table of energies tells the steps.
// This build is run beside it in the same way, since a program that writes its output between steps finds colder
// caches.

#include <functional>
#include <string>
#include <vector>

#include "scene_run.hpp"

namespace locdyn::app {

inline constexpr const char* kThisBuild = "this";  ///< `SceneRun::program` of the two
inline constexpr const char* kOtherBuild = "other";

/// Runs `program simulate run.file` with `run.solver`, `run.tolerance`, that h [s] and that many threads, ended after
/// `limit_s` seconds of processor time (a whole number, rounded up), and fills in steps and status: the time of a step
/// is that of its stages by the wall clock, which the table holds. False where it was interrupted.
[[nodiscard]] bool run_build(const std::string& program, const std::vector<std::string>& surroundings, double step,
                             int threads, double limit_s, const std::function<bool()>& interrupted, SceneRun& run);

/// The steps in a table of energies, a last line that was cut short left out; empty where a column is missing.
[[nodiscard]] std::vector<StepSample> steps_in_table(const std::string& file);

}  // namespace locdyn::app
