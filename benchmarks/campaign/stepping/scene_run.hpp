#pragma once
// What a bench of scenes keeps of one run: one scene, one program and solver, one tolerance, step by step.

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <locdyn/simulation/step_report.hpp>

#include "step_statistics.hpp"

namespace locdyn::app {

/// One step. What a program does not tell is not-a-number.
struct StepSample {
  static constexpr double kUntold = std::numeric_limits<double>::quiet_NaN();

  double time_s = 0;  ///< of the step: processor time, or by the wall clock where several threads share it
  double wall_s = 0;
  double contacts = 0;
  double iterations = kUntold, factorisations = kUntold, block_products = kUntold, flops = kUntold;
  double residual = kUntold;  ///< `scaled`
  bool solved = true;         ///< the solver reached its tolerance
  StepReport::Stages stages;  ///< wall clock [s]
};

/// h of a scene's trajectory, from 1: a thousandth longer each time. Contacts part by more within some impacts, while
/// what a step costs, if not by chance, stays.
[[nodiscard]] double step_of(double scene_step, int trajectory) noexcept;

/// A line of text for a sample, and back: how a run tells its steps while it goes on.
[[nodiscard]] std::string line_of(const StepSample& sample);
/// Throws nlohmann::json::exception where the object is no such line.
[[nodiscard]] StepSample sample_of(const nlohmann::ordered_json& line);

struct SceneRun {
  std::string scene;      ///< its name in tables
  std::string file, key;  ///< where it lies; of its content
  std::string program;    ///< empty: this build of locdyn; else another build, or a peer
  bool peer = false;      ///< another project's engine: `tolerance` is 0, the residual is this project's judgement
  std::string solver;     ///< of a peer: its setting
  double tolerance = 0;
  int trajectory = 1;  ///< of the scene: the first with its own h, each further one with another (`step_of`)
  /// "done", "time limit", "stopped" (a step could not be passed), "refused" (the solver cannot solve the scene's
  /// laws), or how its process ended: "timed out", "crashed (signal 11)".
  std::string status;
  std::string reason;  ///< one clause where it is not "done"
  std::size_t bodies = 0;
  long wanted = 0;  ///< steps of the whole scene
  std::vector<StepSample> steps;
  double unfinished_s = 0;  ///< time, at least, of the step that was under way when the run was ended

  [[nodiscard]] bool done() const noexcept { return status == "done"; }
  [[nodiscard]] long unsolved() const noexcept;
  /// "auto", "bullet:10", "locdyn-old:auto".
  [[nodiscard]] std::string full_name() const { return program.empty() ? solver : program + ":" + solver; }
};

/// Time of each step, an unfinished one last.
[[nodiscard]] std::vector<double> step_seconds(const SceneRun& run);
/// Of all these.
[[nodiscard]] double total_seconds(const SceneRun& run);
/// How long `run` takes for the steps that both did or began, over how long `other` takes for them; not-a-number for
/// none. Where a step of theirs is unfinished, that run may take longer still.
[[nodiscard]] double time_ratio(const SceneRun& run, const SceneRun& other);
[[nodiscard]] StepStatistics statistics(const SceneRun& run);
/// Of the steps with at least half as many contacts as the fullest one: without what a scene grows by.
[[nodiscard]] StepStatistics statistics_under_load(const SceneRun& run);
/// Of one member over all steps that tell it; not-a-number where none does.
[[nodiscard]] double sum_of(const SceneRun& run, double StepSample::*member);
[[nodiscard]] double quantile_of(const SceneRun& run, double StepSample::*member, double share);

[[nodiscard]] nlohmann::ordered_json to_json(const SceneRun& run);

}  // namespace locdyn::app
