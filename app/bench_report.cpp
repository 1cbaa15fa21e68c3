#include "bench_report.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <thread>

namespace locdyn::app {
namespace {

using Json = nlohmann::ordered_json;

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

Json machine() {
  utsname system = {};
  const bool known = ::uname(&system) == 0;
  return {{"processor", processor()},
          {"logical_processors", std::thread::hardware_concurrency()},
          {"system", known ? std::string(system.sysname) + " " + system.release + " " + system.machine : "unknown"}};
}

Json build() {
#ifdef __clang__
  const std::string compiler = std::string("Clang ") + __clang_version__;
#else
  const std::string compiler = std::string("GCC ") + __VERSION__;
#endif
  return {{"locdyn", LOCDYN_VERSION}, {"compiler", compiler}, {"type", LOCDYN_BUILD_TYPE}};
}

Json run_json(const Run& run) {
  const SolveReport& report = run.report;
  return {{"problem", run.problem},
          {"contacts", run.contacts},
          {"blocks", run.blocks},
          {"solver", run.solver},
          {"finished_by", report.solver},
          {"pyramid", run.pyramid},
          {"status", to_string(report.status)},
          {"iterations", report.iterations},
          {"time_s", report.seconds},
          {"residual", residual_json(report.residual)},
          {"own_residual", report.own_residual},
          {"reason", report.reason}};
}

}  // namespace

Json bench_report(const Campaign& campaign, const SolverOptions& options) {
  Json runs = Json::array();
  for (const Run& run : campaign.runs) runs.push_back(run_json(run));
  return {{"machine", machine()},
          {"build", build()},
          {"settings",
           {{"tolerance", options.tolerance},
            {"measure", options.measure},
            {"max_time_s", options.max_seconds},
            {"max_iterations", options.max_iterations},
            {"threads", options.threads},
            {"facets", options.facets}}},
          {"runs", std::move(runs)},
          {"unreadable", campaign.faults},
          {"interrupted", campaign.interrupted}};
}

}  // namespace locdyn::app
