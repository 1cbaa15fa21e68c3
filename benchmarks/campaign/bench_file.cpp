#include "bench_file.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <locdyn/ldy/file_error.hpp>
#include <locdyn/ldy/replace_file.hpp>

#include "machine_facts.hpp"

namespace locdyn::app {
using namespace locdyn::detail;
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "locdyn bench 2";

Json settings_json(const BenchSettings& settings) {
  const SolverOptions& options = settings.options;
  return {{"tolerances", settings.tolerances}, {"measure", options.measure},
          {"max_time_s", options.max_seconds}, {"max_iterations", options.max_iterations},
          {"threads", options.threads},        {"facets", options.facets},
          {"without", options.without}};
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string time_now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string bench_json(const BenchReport& report, const BenchSettings& settings) {
  Json runs = Json::array();
  for (const BenchRun& run : report.runs) runs.push_back(to_json(run));
  const Json object = {{"format", kFormat},
                       {"date", time_now()},
                       {"machine", machine_json()},
                       {"build", build_json()},
                       {"settings", settings_json(settings)},
                       {"runs", std::move(runs)},
                       {"unreadable", report.faults},
                       {"interrupted", report.interrupted}};
  return json_text(object, 0) + "\n";
}

BenchFile::BenchFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  // Hours of runs are not to end in a file that cannot be written: what is there, or an empty report, is written now.
  std::error_code none;
  there_ = std::filesystem::exists(path_, none);
  const bool regular = std::filesystem::is_regular_file(path_, none);
  BenchReport nothing;
  nothing.interrupted = true;
  replace_file(path_, there_ && regular ? bytes_of(path_) : bench_json(nothing, {}));
}

BenchReport BenchFile::earlier_runs(const BenchSettings& settings) const {
  BenchReport report;
  if (!there_) return report;
  const Json object = Json::parse(bytes_of(path_), nullptr, false);
  if (!object.is_object() || object.value("format", "") != kFormat) {
    throw FileError(path_, "", "a file that locdyn bench wrote, to go on from", "another");
  }
  const Json then = object.value("settings", Json::object()), wanted = settings_json(settings);
  for (const char* name : {"measure", "max_time_s", "max_iterations", "threads", "facets", "without"}) {
    const Json found = then.value(name, Json());
    if (found != wanted[name]) {
      throw FileError(path_, std::string("settings/") + name, wanted[name].dump() + " as now", found.dump());
    }
  }
  const bool same_build = object["build"].value("executable", "") == build_json()["executable"].get<std::string>();
  try {
    for (const Json& run : object.at("runs")) {
      BenchRun one = bench_run_of(run);
      if (same_build || !one.peer.empty()) report.runs.push_back(std::move(one));
    }
  } catch (const nlohmann::json::exception& fault) {
    throw FileError(path_, "runs", "runs that locdyn bench wrote", fault.what());
  }
  return report;
}

void BenchFile::keep(const BenchReport& report, const BenchSettings& settings) {
  const auto moment = std::chrono::steady_clock::now();
  if (path_.empty() || moment - last_ < std::chrono::seconds(1)) return;
  BenchReport part = report;
  part.interrupted = true;
  try {
    replace_file(path_, bench_json(part, settings));
  } catch (const FileError&) {  // the end says what is wrong with the disk
  }
  last_ = std::chrono::steady_clock::now();
}

void BenchFile::finish(const std::string& text) const {
  if (!path_.empty()) replace_file(path_, text);
}

}  // namespace locdyn::app
