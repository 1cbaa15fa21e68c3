#include "engine_list.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "../child.hpp"
#include "command.hpp"

namespace locdyn::app {
namespace {

constexpr const char* kEngineProgram = "benchmark_stepping";

// All engines that the program was built with.
std::vector<Engine> offered_engines() {
  std::error_code none;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  const std::string program = (folder / kEngineProgram).string();
  if (!std::filesystem::exists(program, none)) {
    throw UsageError("--peers: expected the program " + program + " (built with the benchmarks), found none");
  }
  const ChildOutcome list = run_child({program, "--list"}, {}, {.preparing_s = 60});
  if (list.end != ChildOutcome::End::exited || list.code != 0) {
    throw UsageError("--peers: expected " + program + " to list its engines, found that it " + to_string(list));
  }
  std::vector<Engine> engines;
  std::istringstream lines(list.text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, colon);
    if (engines.empty() || engines.back().name != name) engines.push_back({name, program, {}});
    engines.back().settings.push_back(line.substr(colon + 1));
  }
  return engines;
}

}  // namespace

std::vector<Engine> find_engines(const std::string& names) {
  std::vector<Engine> chosen;
  if (names.empty()) return chosen;
  const std::vector<Engine> offered = offered_engines();
  std::istringstream words(names);
  for (std::string name; std::getline(words, name, ',');) {
    const auto found =
        std::find_if(offered.begin(), offered.end(), [&](const Engine& engine) { return engine.name == name; });
    if (found == offered.end()) {
      std::string known;
      for (const Engine& engine : offered) known += (known.empty() ? "" : ", ") + engine.name;
      throw UsageError("--peers: expected engines that were found when this was built (" + known + "), found " + name);
    }
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace locdyn::app
