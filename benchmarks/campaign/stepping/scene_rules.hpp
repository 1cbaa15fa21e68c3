#pragma once
// What is asked of the stepping of moving scenes, held against the runs of a bench: each rule with its numbers, met or
// not. Times are processor times of steps, on several threads those of the wall clock; two runs are compared over the
// steps that both did. Where a scene has several trajectories, its number is the geometric mean over them, and the
// remark has its range: what is chance in one run is not in five.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "scene_run.hpp"

namespace locdyn::app {

struct SceneRule {
  std::string rule;   ///< "auto / best single solver ≤ 1.2"
  std::string where;  ///< "pile, 1e-03"; empty: over all
  double found = 0;   ///< the number that is bounded; not-a-number where the runs do not tell it: then not met
  double bound = 0;
  bool at_least = false;  ///< found ≥ bound is asked, else found ≤ bound
  std::string remark;     ///< what the number is of

  [[nodiscard]] bool met() const noexcept { return at_least ? found >= bound : found <= bound; }
};

/// What one solver did on one scene at one tolerance: its runs, one for each trajectory.
using Trajectories = std::vector<const SceneRun*>;

/// The best of the solvers at one tolerance of one scene: it did the most steps, and of those that did as many it took
/// the least time. One that leaves more steps unsolved than `most_unsolved` is none of them. nullptr: there is none.
[[nodiscard]] const Trajectories* best_of(std::span<const Trajectories> solvers, long most_unsolved);

/// The best of a peer's runs whose median residual is at most `accuracy`; empty where none reaches it.
[[nodiscard]] Trajectories cheapest_to(double accuracy, const Trajectories& runs);

/// All rules that the runs say something about: "auto" beside the single solvers, looser beside tighter tolerances, the
/// tail in scenes known by name (pile, pile_large, bin, hopper, drum; wall, dominoes), the mean step of wall, "auto"
/// beside the other build and beside peers.
[[nodiscard]] std::vector<SceneRule> scene_rules(std::span<const SceneRun> runs);

/// "not met  auto / best single solver ≤ 1.2   pile, 1e-03   1.43   nsgs 0.52 s", a line each, and how many are met.
[[nodiscard]] std::string rules_text(std::span<const SceneRule> rules);
[[nodiscard]] nlohmann::ordered_json to_json(std::span<const SceneRule> rules);

}  // namespace locdyn::app
