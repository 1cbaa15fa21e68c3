#include "scene_bench.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "../bench_matrix.hpp"
#include "../child.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "other_build.hpp"
#include "processor_limit.hpp"

namespace locdyn::app {
namespace {

using Json = nlohmann::ordered_json;

std::string one_digit(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0e", value);
  return text;
}

constexpr double kWaiting = 20;  // times its limit that a process may take by the clock

bool counts_iterations(const std::string& setting) {
  return std::all_of(setting.begin(), setting.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// What a process said of its run, line by line.
void take_line(const std::string& line, SceneRun& run) {
  const Json said = Json::parse(line, nullptr, false);
  if (said.is_array()) {
    run.steps.push_back(sample_of(said));
  } else if (said.is_object() && said.contains("bodies")) {
    run.bodies = said["bodies"];
  } else if (said.is_object() && said.contains("end")) {
    run.status = said["end"];
    run.reason = said["reason"];
  } else if (said.is_object() && said.contains("unreadable")) {
    run.status = "unreadable";
    run.reason = said["unreadable"];
  }
}

void take_text(const std::string& text, SceneRun& run) {
  std::istringstream lines(text);
  try {
    for (std::string line; std::getline(lines, line);) take_line(line, run);
  } catch (const nlohmann::json::exception&) {  // half a line is none, and its end was not told
  }
}

class SceneBench {
 public:
  SceneBench(const SceneBenchSettings& settings, const SceneBenchEvents& events, SceneBenchReport& report)
      : settings_(settings), events_(events), report_(report) {
    surroundings_ = {"OMP_NUM_THREADS=" + std::to_string(settings.threads), "OPENBLAS_NUM_THREADS=1",
                     "GOTO_NUM_THREADS=1", "MKL_NUM_THREADS=1", "OMP_DYNAMIC=false"};
  }

  void run(const BenchSceneList& list, const std::vector<Engine>& engines) {
    const std::size_t each = settings_.solvers.size() + (settings_.other.empty() ? 0 : 2);
    const auto trajectories = static_cast<std::size_t>(settings_.trajectories);
    of_ = list.scenes.size() * (settings_.tolerances.size() * trajectories * each + engines.size());
    for (const BenchScene& scene : list.scenes) {
      if (!run_solvers(scene) || !run_engines(scene, engines)) return;
    }
  }

 private:
  // What is compared runs one after the other.
  bool run_solvers(const BenchScene& scene) {
    bool readable = true;
    for (const double tolerance : settings_.tolerances) {
      for (int trajectory = 1; trajectory <= settings_.trajectories && readable; ++trajectory) {
        if (!run_trajectory(scene, tolerance, trajectory, readable)) return false;
      }
    }
    return true;
  }

  bool run_trajectory(const BenchScene& scene, double tolerance, int trajectory, bool& readable) {
    const double step = step_of(scene.step, trajectory);
    for (const std::string& solver : settings_.solvers) {
      if (!run_own(begin(scene, solver, tolerance, trajectory), step, readable)) return false;
      if (!readable) return true;
    }
    if (settings_.other.empty()) return true;
    // By its own name: a shell runs it, which is another /proc/self/exe.
    const std::string own = std::filesystem::read_symlink("/proc/self/exe");
    for (const auto& [name, program] : {std::pair{kThisBuild, own}, std::pair{kOtherBuild, settings_.other}}) {
      SceneRun run = begin(scene, settings_.solvers.front(), tolerance, trajectory);
      run.program = name;
      if (!simulate(std::move(run), step, program)) return false;
    }
    return true;
  }

  bool run_engines(const BenchScene& scene, const std::vector<Engine>& engines) {
    for (const Engine& engine : engines) {
      ++at_;
      bool climbs = true;
      for (const std::string& setting : engine.settings) {
        const bool rung = counts_iterations(setting);
        if (rung && !climbs) continue;
        if (!run_engine(scene, engine, setting)) return false;
        if (rung) climbs = goes_on(report_.runs.back());
        if (report_.runs.back().status == "left out") break;
      }
    }
    return true;
  }

  // More iterations are worth a try where these did not reach the tightest tolerance in time.
  [[nodiscard]] bool goes_on(const SceneRun& run) const {
    const double tightest = *std::min_element(settings_.tolerances.begin(), settings_.tolerances.end());
    return run.done() && !(quantile_of(run, &StepSample::residual, 0.5) <= tightest);
  }

  SceneRun begin(const BenchScene& scene, const std::string& solver, double tolerance, int trajectory) {
    SceneRun run;
    run.scene = scene.name;
    run.file = scene.file;
    run.key = scene.key;
    run.solver = solver;
    run.tolerance = tolerance;
    run.trajectory = trajectory;
    run.wanted = scene.steps;
    return run;
  }

  void announce(const SceneRun& run) {
    const std::string tolerance = run.peer ? "" : " " + one_digit(run.tolerance);
    const std::string trajectory = settings_.trajectories > 1 ? ", trajectory " + std::to_string(run.trajectory) : "";
    if (events_.start) events_.start(at_, of_, run.scene + "  " + run.full_name() + tolerance + trajectory);
  }

  bool keep(SceneRun run) {
    report_.runs.push_back(std::move(run));
    if (events_.kept) events_.kept(report_);
    return true;
  }

  // A process that speaks of its steps. False where it was interrupted.
  bool step_apart(std::vector<std::string> words, SceneRun& run) {
    words.insert(words.end(), {"--max-time", exact(settings_.max_seconds), "--", run.file});
    // Its own limit counts processor time; ours is for one that waits for ever.
    const double limit = patience(settings_.max_seconds);
    const ChildOutcome outcome = run_child(words, surroundings_, {.solving_s = kWaiting * limit}, events_.interrupted);
    report_.interrupted = outcome.end == ChildOutcome::End::interrupted;
    take_text(outcome.text, run);
    if (!run.status.empty()) return !report_.interrupted;
    const bool out_of_time = outcome.end == ChildOutcome::End::exited && outcome.code == kOutOfTime;
    if (out_of_time || outcome.end == ChildOutcome::End::timed_out)
      run.unfinished_s = std::max(limit - total_seconds(run), 0.0);
    run.status = out_of_time ? "time limit" : to_string(outcome);
    run.reason = outcome.last_line;
    return !report_.interrupted;
  }

  bool run_own(SceneRun run, double step, bool& readable) {
    ++at_;
    announce(run);
    if (!step_apart({"/proc/self/exe", "bench-scene", "--solver", run.solver, "--tol", exact(run.tolerance), "--step",
                     exact(step), "--threads", std::to_string(settings_.threads), "--without", settings_.without},
                    run)) {
      return false;
    }
    readable = run.status != "unreadable";
    if (readable) return keep(std::move(run));
    report_.faults.push_back(run.reason);
    if (events_.fault) events_.fault(run.reason);
    return true;
  }

  // This build or the other.
  bool simulate(SceneRun run, double step, const std::string& program) {
    ++at_;
    announce(run);
    if (!run_build(program, surroundings_, step, settings_.threads, patience(settings_.max_seconds),
                   events_.interrupted, run)) {
      report_.interrupted = true;
      return false;
    }
    return keep(std::move(run));
  }

  bool run_engine(const BenchScene& scene, const Engine& engine, const std::string& setting) {
    SceneRun run = begin(scene, setting, 0, 1);
    run.program = engine.name;
    run.peer = true;
    announce(run);
    if (!step_apart({engine.program, "--engine", engine.name, "--setting", setting}, run)) return false;
    return keep(std::move(run));
  }

  const SceneBenchSettings& settings_;
  const SceneBenchEvents& events_;
  SceneBenchReport& report_;
  std::vector<std::string> surroundings_;
  std::size_t at_ = 0, of_ = 0;
};

}  // namespace

int SceneBenchReport::status() const {
  if (interrupted) return kInterrupted;
  if (!faults.empty()) return kBad;
  for (const SceneRun& run : runs) {
    if (run.program.empty() && (!run.done() || run.unsolved() > 0)) return kNotConverged;
  }
  return kConverged;
}

void run_scene_bench(const BenchSceneList& list, const std::vector<Engine>& engines, const SceneBenchSettings& settings,
                     const SceneBenchEvents& events, SceneBenchReport& report) {
  for (const std::string& line : list.faults) {
    report.faults.push_back(line);
    if (events.fault) events.fault(line);
  }
  SceneBench(settings, events, report).run(list, engines);
}

}  // namespace locdyn::app
