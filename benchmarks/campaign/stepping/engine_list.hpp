#pragma once
// Other projects' engines that scenes are stepped in beside this one: settings of `benchmark_stepping`, a program that
// stands beside this one, lists its settings a line each (`--list`) and speaks as `locdyn bench-scene` does.

#include <string>
#include <vector>

namespace locdyn::app {

struct Engine {
  std::string name;                   ///< "bullet"
  std::string program;                ///< its path
  std::vector<std::string> settings;  ///< "10", "10-two-directions", "elliptic"
};

/// From "bullet,mujoco". Throws UsageError where a name is none or the program was not built.
[[nodiscard]] std::vector<Engine> find_engines(const std::string& names);

}  // namespace locdyn::app
