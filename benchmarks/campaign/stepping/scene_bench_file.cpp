#include "scene_bench_file.hpp"

#include "../bench_file.hpp"
#include "../machine_facts.hpp"
#include "scene_rules.hpp"

namespace locdyn::app {
namespace {

using Json = nlohmann::ordered_json;  // as in the files that are compiled with this one

constexpr const char* kSceneFormat = "locdyn bench scenes 1";

}  // namespace

std::string scene_bench_json(const SceneBenchReport& report, const SceneBenchSettings& settings) {
  Json runs = Json::array();
  for (const SceneRun& run : report.runs) runs.push_back(to_json(run));
  const Json object = {{"format", kSceneFormat},
                       {"date", time_now()},
                       {"machine", machine_json()},
                       {"build", build_json()},
                       {"settings",
                        {{"solvers", settings.solvers},
                         {"tolerances", settings.tolerances},
                         {"max_time_s", settings.max_seconds},
                         {"trajectories", settings.trajectories},
                         {"threads", settings.threads},
                         {"without", settings.without},
                         {"other", settings.other}}},
                       {"runs", std::move(runs)},
                       {"rules", to_json(scene_rules(report.runs))},
                       {"unreadable", report.faults},
                       {"interrupted", report.interrupted}};
  return json_text(object, 0) + "\n";
}

}  // namespace locdyn::app
