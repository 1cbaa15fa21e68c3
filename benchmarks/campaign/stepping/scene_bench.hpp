#pragma once
// The runs of a bench of scenes: scenes × tolerances × solvers, each in a process of its own with a limit on the
// time of its steps; in turn with them another build of this program, and other projects' engines.
//
// A solver runs once at each tolerance, or once on each of several trajectories of the scene: which of its steps are
// dear is chance where bodies collide. An engine has no tolerance that means ours: each of its settings runs once a
// scene, and what it reached is judged. Settings that count iterations ("bullet:10", "bullet:30", …) form a ladder,
// climbed until the median residual meets the tightest tolerance or a run passes the time limit.

#include <functional>
#include <string>
#include <vector>

#include "engine_list.hpp"
#include "scene_list.hpp"
#include "scene_run.hpp"

namespace locdyn::app {

struct SceneBenchSettings {
  std::vector<std::string> solvers;
  std::string without;  ///< stages that auto leaves out, with commas between them
  std::vector<double> tolerances;
  double max_seconds = 10;  ///< of all steps of a run [s], > 0
  int trajectories = 1;     ///< of each scene, ≥ 1; engines run the first
  int threads = 1;
  std::string other;  ///< another build of locdyn, run with the first of `solvers`; empty: none
};

struct SceneBenchReport {
  std::vector<SceneRun> runs;  ///< by scene, then by tolerance; engines last
  std::vector<std::string> faults;
  bool interrupted = false;

  /// kInterrupted where it was, else kBad where there is a fault, else kNotConverged where a run of this build did not
  /// come to the scene's end or left a step unsolved, else kConverged.
  [[nodiscard]] int status() const;
};

struct SceneBenchEvents {
  std::function<void(std::size_t at, std::size_t of, const std::string& run)> start;  ///< before each run
  std::function<void(const SceneBenchReport& so_far)> kept;                           ///< after each run
  std::function<void(const std::string& line)> fault;
  std::function<bool()> interrupted;  ///< asked all the time: ends the run under way, which is not kept
};

void run_scene_bench(const BenchSceneList& list, const std::vector<Engine>& engines, const SceneBenchSettings& settings,
                     const SceneBenchEvents& events, SceneBenchReport& report);

}  // namespace locdyn::app
