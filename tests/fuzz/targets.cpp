#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "fuzz_target.hpp"
#include "target_list.hpp"

namespace locdyn::fuzz {
namespace {

constexpr std::array<Target, 12> kTargets = {{
    {"scene", run_scene, seeds_of_scene, 500, true},
    {"problem-bytes", run_problem_bytes, seeds_of_problem_bytes, 300, false},
    {"problem-parts", run_problem_parts, seeds_of_problem_parts, 300, true},
    {"robot", run_robot, seeds_of_robot, 500, true},
    {"mesh", run_mesh, seeds_of_mesh, 500, true},
    {"checkpoint", run_checkpoint, seeds_of_checkpoint, 200, false},
    {"trajectory", run_trajectory, seeds_of_trajectory, 200, false},
    {"arrays", run_arrays, seeds_of_numbers, 1000, true},
    {"c-arrays", run_c_arrays, seeds_of_numbers, 1000, true},
    {"bodies", run_bodies, seeds_of_numbers, 500, true},
    {"solvers", run_solvers, seeds_of_numbers, 100, true},
    {"command-line", run_command_line, seeds_of_command_line, 300, true},
}};

}  // namespace

std::span<const Target> targets() {
  return kTargets;
}

const Target& find_target(std::string_view name) {
  const auto found = std::find_if(kTargets.begin(), kTargets.end(), [&](const Target& t) { return t.name == name; });
  if (found != kTargets.end()) return *found;
  std::string names;
  for (const Target& target : kTargets) names += (names.empty() ? "" : ", ") + std::string(target.name);
  throw std::invalid_argument("target: expected one of " + names + ", found " + std::string(name));
}

}  // namespace locdyn::fuzz
