#include "scene_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "format.hpp"
#include "other_build.hpp"

namespace locdyn::app {
namespace {

using Runs = std::vector<const SceneRun*>;

constexpr std::string_view kJudged = "auto";

// Bounds of the project.
constexpr double kMostOfBest = 1.2, kMeanOfBest = 0.8;   // auto over the best single solver
constexpr double kMostOfTighter = 1.1;                   // looser over tighter
constexpr double kTail99 = 5, kTailLargest = 20;         // times the median
constexpr double kMostOfDearest = 0.5;                   // of all time
constexpr double kLeastGain = 5;                         // the other build over this one, mean over scenes
constexpr double kLeastLead = 3;                         // a peer over auto at equal residual
constexpr double kMostOfDefault = 3, kDefaultAt = 1e-3;  // auto over Bullet's default, on piles
constexpr double kUnsolvedShare = 0.01;                  // of steps, that a solver may leave more than auto

// What somebody who watches it waits for: the mean step of wall.json, by tolerance [ms].
constexpr std::string_view kWatched = "wall";
constexpr std::array<std::pair<double, double>, 2> kMostMean = {{{1e-6, 25}, {1e-3, 4}}};

constexpr std::array<std::string_view, 5> kSteady = {"pile", "pile_large", "bin", "hopper", "drum"};
constexpr std::array<std::string_view, 2> kImpacts = {"wall", "dominoes"};
constexpr std::array<std::string_view, 2> kPiles = {"pile", "pile_large"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string place_of(const SceneRun& run) {
  return run.scene + ", " + scientific(run.tolerance);
}

std::string cost_of(const SceneRun& run) {
  std::string text = run.full_name() + " " + duration(total_seconds(run));
  if (static_cast<long>(run.steps.size()) < run.wanted) {
    text +=
        " (" + std::to_string(run.steps.size()) + (run.unfinished_s > 0 ? " steps, the next not ended)" : " steps)");
  }
  if (run.unsolved() > 0) text += " (" + std::to_string(run.unsolved()) + " unsolved)";
  return text;
}

// What comes nearest of a peer.
std::string nearest_of(const Runs& runs) {
  const auto residual = [](const SceneRun* run) { return quantile_of(*run, &StepSample::residual, 0.5); };
  const SceneRun* nearest = *std::min_element(
      runs.begin(), runs.end(), [&](const SceneRun* a, const SceneRun* b) { return residual(a) < residual(b); });
  return scientific(residual(nearest)) + " by " + cost_of(*nearest);
}

// The runs of one scene, sorted by what they are to be compared with.
struct SceneRuns {
  std::map<double, Runs> solvers;                      // single solvers, by tolerance
  std::map<double, const SceneRun*> own;               // auto
  std::map<double, const SceneRun*> simulated, other;  // by this build's `simulate`, and by another's
  std::map<std::string, Runs> peers;
};

std::vector<std::pair<std::string, SceneRuns>> by_scene(std::span<const SceneRun> runs) {
  std::vector<std::pair<std::string, SceneRuns>> scenes;
  for (const SceneRun& run : runs) {
    if (scenes.empty() || scenes.back().first != run.scene) scenes.emplace_back(run.scene, SceneRuns());
    SceneRuns& of = scenes.back().second;
    if (run.peer) {
      if (!run.steps.empty()) of.peers[run.program].push_back(&run);
    } else if (!run.program.empty()) {
      (run.program == kThisBuild ? of.simulated : of.other)[run.tolerance] = &run;
    } else if (run.solver == kJudged) {
      of.own[run.tolerance] = &run;
    } else {
      of.solvers[run.tolerance].push_back(&run);
    }
  }
  return scenes;
}

double geometric_mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

class RuleBook {
 public:
  explicit RuleBook(std::span<const SceneRun> runs) : scenes_(by_scene(runs)) {}

  std::vector<SceneRule> all() {
    against_single_solvers();
    looser_is_cheaper();
    tails();
    watched();
    against_other_build();
    against_peers();
    return std::move(rules_);
  }

 private:
  void add(SceneRule rule) { rules_.push_back(std::move(rule)); }

  template <class Do>
  void with_each_own(Do&& act) {
    for (const auto& [name, of] : scenes_) {
      for (const auto& [tolerance, run] : of.own) act(of, tolerance, *run);
    }
  }

  void add_mean(const char* rule, const std::vector<double>& values, double bound, bool at_least,
                const std::string& remark) {
    if (values.empty()) return;
    add({rule, "", geometric_mean_of(values), bound, at_least, remark + counted(values.size(), "run")});
  }

  void against_single_solvers() {
    std::vector<double> ratios;
    with_each_own([&](const SceneRuns& of, double tolerance, const SceneRun& own) {
      const auto singles = of.solvers.find(tolerance);
      if (singles == of.solvers.end()) return;
      const long allowed = own.unsolved() + std::lround(kUnsolvedShare * static_cast<double>(own.wanted));
      const SceneRun* best = best_run(singles->second, allowed);
      if (best == nullptr) return;  // none of them solves it
      const double ratio = time_ratio(own, *best);
      if (ratio > 0) ratios.push_back(ratio);
      add({"auto / best single solver", place_of(own), ratio, kMostOfBest, false,
           cost_of(own) + ", " + cost_of(*best)});
    });
    add_mean("auto / best single solver, geometric mean", ratios, kMeanOfBest, false, "over ");
  }

  void looser_is_cheaper() {
    for (const auto& [name, of] : scenes_) {
      for (auto looser = of.own.rbegin(); looser != of.own.rend(); ++looser) {
        const auto tighter = std::next(looser);
        if (tighter == of.own.rend()) break;
        add({"looser / next tighter tolerance", place_of(*looser->second),
             time_ratio(*looser->second, *tighter->second), kMostOfTighter, false,
             cost_of(*looser->second) + ", " + cost_of(*tighter->second)});
      }
    }
  }

  void tails() {
    with_each_own([&](const SceneRuns&, double, const SceneRun& own) {
      const StepStatistics cost = statistics(own);
      const std::string median = "median " + duration(cost.median);
      if (is_one_of(kSteady, own.scene)) {
        add({"99 % step / median", place_of(own), cost.p99 / cost.median, kTail99, false, median});
        add({"largest step / median", place_of(own), cost.largest / cost.median, kTailLargest, false, median});
        // A scene that grows has its median among steps that had little to do yet, whatever its steps do later.
        const StepStatistics loaded = statistics_under_load(own);
        add({"99 % step / median, under load", place_of(own), loaded.p99 / loaded.median, kTail99, false,
             counted(loaded.steps, "step") + ", median " + duration(loaded.median)});
      }
      if (is_one_of(kImpacts, own.scene)) {
        add({"share of the dearest tenth of steps", place_of(own), cost.dearest_tenth, kMostOfDearest, false,
             cost_of(own)});
      }
    });
  }

  void watched() {
    with_each_own([&](const SceneRuns&, double tolerance, const SceneRun& own) {
      for (const auto& [at, most] : kMostMean) {
        if (own.scene != kWatched || at != tolerance) continue;
        const double mean = 1e3 * total_seconds(own) / static_cast<double>(step_seconds(own).size());
        add({"mean step of the whole scene [ms]", place_of(own), mean, most, false, cost_of(own)});
      }
    });
  }

  void against_other_build() {
    std::map<double, std::vector<double>> gains;
    for (const auto& [name, of] : scenes_) {
      for (const auto& [tolerance, own] : of.simulated) {
        const auto other = of.other.find(tolerance);
        if (other == of.other.end()) continue;
        const double gain = time_ratio(*other->second, *own);
        if (gain > 0) gains[tolerance].push_back(gain);
        add({"other build / this", place_of(*own), gain, 1, true, cost_of(*other->second) + ", " + cost_of(*own)});
      }
    }
    for (auto gain = gains.rbegin(); gain != gains.rend(); ++gain) {
      add_mean("other build / this, geometric mean", gain->second, kLeastGain, true,
               scientific(gain->first) + ", over ");
    }
  }

  void against_peers() {
    with_each_own([&](const SceneRuns& of, double tolerance, const SceneRun& own) {
      if (own.steps.empty()) return;
      for (const auto& [name, runs] : of.peers) {
        const SceneRun* peer = cheapest_to(tolerance, runs);
        const std::string rule = name + " / auto at equal residual";
        if (peer == nullptr) {
          add({rule, place_of(own), HUGE_VAL, kLeastLead, true, "no setting of it reaches this: " + nearest_of(runs)});
        } else {
          add({rule, place_of(own), time_ratio(*peer, own), kLeastLead, true, cost_of(*peer) + ", " + cost_of(own)});
        }
      }
      beside_default(of, tolerance, own);
    });
  }

  // Bullet's own default is its first setting.
  void beside_default(const SceneRuns& of, double tolerance, const SceneRun& own) {
    const auto bullet = of.peers.find("bullet");
    if (bullet == of.peers.end() || tolerance != kDefaultAt || !is_one_of(kPiles, own.scene)) return;
    const SceneRun& standard = *bullet->second.front();
    add({"auto / bullet at its default", place_of(own), time_ratio(own, standard), kMostOfDefault, false,
         cost_of(standard) + ", its median residual " + scientific(quantile_of(standard, &StepSample::residual, 0.5))});
  }

  std::vector<std::pair<std::string, SceneRuns>> scenes_;
  std::vector<SceneRule> rules_;
};

}  // namespace

const SceneRun* best_run(std::span<const SceneRun* const> runs, long most_unsolved) {
  const SceneRun* best = nullptr;
  for (const SceneRun* run : runs) {
    if (run->steps.empty() || run->unsolved() > most_unsolved) continue;
    const std::size_t steps = run->steps.size();
    const bool better = best == nullptr || steps > best->steps.size() ||
                        (steps == best->steps.size() && total_seconds(*run) < total_seconds(*best));
    if (better) best = run;
  }
  return best;
}

const SceneRun* cheapest_to(double accuracy, std::span<const SceneRun* const> runs) {
  Runs reach;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(reach),
               [accuracy](const SceneRun* run) { return quantile_of(*run, &StepSample::residual, 0.5) <= accuracy; });
  return best_run(reach, std::numeric_limits<long>::max());
}

std::vector<SceneRule> scene_rules(std::span<const SceneRun> runs) {
  return RuleBook(runs).all();
}

std::string rules_text(std::span<const SceneRule> rules) {
  std::size_t wide = 0, place = 0, met = 0;
  for (const SceneRule& rule : rules) {
    wide = std::max(wide, width(rule.rule));
    place = std::max(place, width(rule.where));
    met += rule.met() ? 1 : 0;
  }
  std::string text;
  for (const SceneRule& rule : rules) {
    text += std::string(rule.met() ? "met      " : "NOT MET  ") + left(rule.rule, wide) + "  " +
            left(rule.where, place) + "  " + right(plain(rule.found), 9) + (rule.at_least ? " ≥ " : " ≤ ") +
            left(plain(rule.bound), 4) + "  " + rule.remark + "\n";
  }
  return text + "rules met: " + std::to_string(met) + " of " + std::to_string(rules.size()) + "\n";
}

nlohmann::ordered_json to_json(std::span<const SceneRule> rules) {
  auto all = nlohmann::ordered_json::array();
  for (const SceneRule& rule : rules) {
    all.push_back({{"rule", rule.rule},
                   {"where", rule.where},
                   {"found", rule.found},
                   {rule.at_least ? "at_least" : "at_most", rule.bound},
                   {"met", rule.met()},
                   {"remark", rule.remark}});
  }
  return all;
}

}  // namespace locdyn::app
