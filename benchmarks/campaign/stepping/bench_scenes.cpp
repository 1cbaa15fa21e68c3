#include "bench_scenes.hpp"

#include <chrono>
#include <iostream>

#include <locdyn/ldy/file_error.hpp>
#include <locdyn/ldy/replace_file.hpp>

#include <locdyn/ldy/file_error.hpp>
#include "../plot.hpp"
#include "command.hpp"
#include "format.hpp"
#include "interrupt.hpp"

#include "progress.hpp"
#include "scene_bench_file.hpp"
#include "scene_rules.hpp"
#include "scene_summary.hpp"

namespace locdyn::app {
using namespace locdyn::detail;
namespace {

constexpr const char* kSteppingScript = "plot_stepping.py";

// Hours of runs are not to end in a file that cannot be written: an empty report is written first.
class SceneBenchKeeper {
 public:
  SceneBenchKeeper(std::string path, const SceneBenchSettings& settings) : path_(std::move(path)), settings_(settings) {
    SceneBenchReport nothing;
    nothing.interrupted = true;
    if (!path_.empty()) replace_file(path_, scene_bench_json(nothing, settings));
  }
  // At most once a second, as an interrupted bench.
  void keep(SceneBenchReport report) {
    const auto moment = std::chrono::steady_clock::now();
    if (path_.empty() || moment - last_ < std::chrono::seconds(1)) return;
    last_ = moment;
    report.interrupted = true;
    try {
      replace_file(path_, scene_bench_json(report, settings_));
    } catch (const FileError&) {  // the end says what is wrong with the disk
    }
  }
  void finish(const std::string& text) const {
    if (!path_.empty()) replace_file(path_, text);
  }

 private:
  std::string path_;
  const SceneBenchSettings& settings_;
  std::chrono::steady_clock::time_point last_ = {};
};

void print_scenes(const SceneBenchReport& report) {
  std::cout << scene_summary(report.runs);
  const std::vector<SceneRule> rules = scene_rules(report.runs);
  if (!rules.empty()) std::cout << '\n' << rules_text(rules);
  flush_output();
}

}  // namespace

int bench_scenes(const SceneBenchRequest& request) {
  const std::vector<Engine> engines = find_engines(request.peers);
  if (!request.plot.empty()) (void)plot_script(kSteppingScript);
  SceneBenchKeeper keeper(request.output, request.settings);
  const BenchSceneList scenes = find_scenes(request.what);

  RunProgress progress;
  SceneBenchEvents events;
  events.start = [&](std::size_t at, std::size_t of, const std::string& run) { progress.start(at, of, run); };
  events.kept = [&](const SceneBenchReport& so_far) { keeper.keep(so_far); };
  events.fault = [&](const std::string& line) {
    progress.clear();
    complain(line);
  };
  events.interrupted = InterruptGuard::interrupted;
  const InterruptGuard guard;
  SceneBenchReport report;
  run_scene_bench(scenes, engines, request.settings, events, report);
  progress.clear();

  // The file first: what follows may fail.
  const std::string json = scene_bench_json(report, request.settings);
  keeper.finish(json);
  if (!report.runs.empty()) print_scenes(report);
  if (!request.plot.empty() && !report.runs.empty()) plot_report(kSteppingScript, json, request.plot, {});
  if (report.interrupted) complain("interrupted after " + counted(report.runs.size(), "run"));
  return report.status();
}

}  // namespace locdyn::app
