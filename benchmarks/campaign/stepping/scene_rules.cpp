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

// --- what a solver did over all trajectories -------------------------------------------------------------------------

struct Totals {
  std::size_t steps = 0;
  double seconds = 0;
  long wanted = 0, unsolved = 0;
  bool cut = false;  // amid a step
};

Totals totals_of(const Trajectories& runs) {
  Totals sum;
  for (const SceneRun* run : runs) {
    sum.steps += run->steps.size();
    sum.seconds += total_seconds(*run);
    sum.wanted += run->wanted;
    sum.unsolved += run->unsolved();
    sum.cut = sum.cut || run->unfinished_s > 0;
  }
  return sum;
}

std::string cost_of(const Trajectories& runs) {
  const Totals all = totals_of(runs);
  std::string text = runs.front()->full_name() + " " + duration(all.seconds);
  if (static_cast<long>(all.steps) < all.wanted)
    text += " (" + std::to_string(all.steps) + (all.cut ? " steps, the next not ended)" : " steps)");
  if (all.unsolved > 0) text += " (" + std::to_string(all.unsolved) + " unsolved)";
  return text;
}

// What comes nearest of a peer.
std::string nearest_of(const Trajectories& runs) {
  const auto residual = [](const SceneRun* run) { return quantile_of(*run, &StepSample::residual, 0.5); };
  const SceneRun* nearest = *std::min_element(
      runs.begin(), runs.end(), [&](const SceneRun* a, const SceneRun* b) { return residual(a) < residual(b); });
  return scientific(residual(nearest)) + " by " + cost_of({nearest});
}

// The runs of one scene, sorted by what they are to be compared with.
struct SceneRuns {
  std::map<double, std::vector<Trajectories>> solvers;  // single solvers, by tolerance
  std::map<double, Trajectories> own;                   // auto
  std::map<double, Trajectories> simulated, other;      // by this build's `simulate`, and by another's
  std::map<std::string, Trajectories> peers;            // each with the first trajectory alone, at all its settings
};

void add_to(std::vector<Trajectories>& solvers, const SceneRun& run) {
  auto same = std::find_if(solvers.begin(), solvers.end(),
                           [&run](const Trajectories& its) { return its.front()->solver == run.solver; });
  if (same == solvers.end()) same = solvers.insert(solvers.end(), Trajectories());
  same->push_back(&run);
}

std::vector<std::pair<std::string, SceneRuns>> by_scene(std::span<const SceneRun> runs) {
  std::vector<std::pair<std::string, SceneRuns>> scenes;
  for (const SceneRun& run : runs) {
    if (scenes.empty() || scenes.back().first != run.scene) scenes.emplace_back(run.scene, SceneRuns());
    SceneRuns& of = scenes.back().second;
    if (run.peer) {
      if (!run.steps.empty()) of.peers[run.program].push_back(&run);
    } else if (!run.program.empty()) {
      (run.program == kThisBuild ? of.simulated : of.other)[run.tolerance].push_back(&run);
    } else if (run.solver == kJudged) {
      of.own[run.tolerance].push_back(&run);
    } else {
      add_to(of.solvers[run.tolerance], run);
    }
  }
  return scenes;
}

// --- a number over all trajectories ----------------------------------------------------------------------------------

double geometric_mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

struct Spread {
  double mean = 0;    // geometric
  std::string range;  // ", 0.91 … 1.62 in 5 trajectories"; empty for one
};

Spread spread_of(const std::vector<double>& values) {
  if (values.empty()) return {std::nan(""), ""};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  Spread spread{values.size() == 1 ? values.front() : geometric_mean_of(values), ""};
  if (values.size() > 1) {
    spread.range =
        ", " + plain(*least) + " … " + plain(*most) + " in " + std::to_string(values.size()) + " trajectories";
  }
  return spread;
}

template <class Number>
Spread spread_over(const Trajectories& runs, Number&& number) {
  std::vector<double> values;
  for (const SceneRun* run : runs) values.push_back(number(*run));
  return spread_of(values);
}

// How long `runs` take over how long `others` do, of the trajectories in which both did a step.
Spread ratio_of(const Trajectories& runs, const Trajectories& others) {
  std::vector<double> ratios;
  for (const SceneRun* run : runs) {
    const auto other = std::find_if(others.begin(), others.end(),
                                    [run](const SceneRun* it) { return it->trajectory == run->trajectory; });
    if (other == others.end()) continue;
    const double ratio = time_ratio(*run, **other);
    if (ratio > 0) ratios.push_back(ratio);
  }
  return spread_of(ratios);
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
  void add(const std::string& rule, const Trajectories& own, const Spread& found, double bound, bool at_least,
           const std::string& remark) {
    add({rule, place_of(*own.front()), found.mean, bound, at_least, remark + found.range});
  }

  template <class Do>
  void with_each_own(Do&& act) {
    for (const auto& [name, of] : scenes_) {
      for (const auto& [tolerance, runs] : of.own) act(of, tolerance, runs);
    }
  }

  void add_mean(const char* rule, const std::vector<double>& values, double bound, bool at_least,
                const std::string& remark) {
    if (values.empty()) return;
    add({rule, "", geometric_mean_of(values), bound, at_least, remark + counted(values.size(), "run")});
  }

  void against_single_solvers() {
    std::vector<double> ratios;
    with_each_own([&](const SceneRuns& of, double tolerance, const Trajectories& own) {
      const auto singles = of.solvers.find(tolerance);
      if (singles == of.solvers.end()) return;
      const Totals all = totals_of(own);
      const Trajectories* best =
          best_of(singles->second, all.unsolved + std::lround(kUnsolvedShare * static_cast<double>(all.wanted)));
      if (best == nullptr) return;  // none of them solves it
      const Spread ratio = ratio_of(own, *best);
      if (ratio.mean > 0) ratios.push_back(ratio.mean);
      add("auto / best single solver", own, ratio, kMostOfBest, false, cost_of(own) + ", " + cost_of(*best));
    });
    add_mean("auto / best single solver, geometric mean", ratios, kMeanOfBest, false, "over ");
  }

  void looser_is_cheaper() {
    for (const auto& [name, of] : scenes_) {
      for (auto looser = of.own.rbegin(); looser != of.own.rend(); ++looser) {
        const auto tighter = std::next(looser);
        if (tighter == of.own.rend()) break;
        add("looser / next tighter tolerance", looser->second, ratio_of(looser->second, tighter->second),
            kMostOfTighter, false, cost_of(looser->second) + ", " + cost_of(tighter->second));
      }
    }
  }

  void tails() {
    with_each_own([&](const SceneRuns&, double, const Trajectories& own) {
      if (is_one_of(kSteady, own.front()->scene)) {
        add_tail(own, "99 % step / median", statistics, &StepStatistics::p99, kTail99);
        add_tail(own, "largest step / median", statistics, &StepStatistics::largest, kTailLargest);
        // A scene that grows has its median among steps that had little to do yet, whatever its steps do later.
        add_tail(own, "99 % step / median, under load", statistics_under_load, &StepStatistics::p99, kTail99);
      }
      if (is_one_of(kImpacts, own.front()->scene)) {
        add("share of the dearest tenth of steps", own,
            spread_over(own, [](const SceneRun& run) { return statistics(run).dearest_tenth; }), kMostOfDearest, false,
            cost_of(own));
      }
    });
  }

  void add_tail(const Trajectories& own, const char* rule, StepStatistics (*of)(const SceneRun&),
                double StepStatistics::*cost, double bound) {
    const auto times_median = [&](const SceneRun& run) { return of(run).*cost / of(run).median; };
    const StepStatistics first = of(*own.front());
    add(rule, own, spread_over(own, times_median), bound, false,
        counted(first.steps, "step") + ", median " + duration(first.median));
  }

  void watched() {
    with_each_own([&](const SceneRuns&, double tolerance, const Trajectories& own) {
      for (const auto& [at, most] : kMostMean) {
        if (own.front()->scene != kWatched || at != tolerance) continue;
        const auto mean = [](const SceneRun& run) {
          return 1e3 * total_seconds(run) / static_cast<double>(step_seconds(run).size());
        };
        add("mean step of the whole scene [ms]", own, spread_over(own, mean), most, false, cost_of(own));
      }
    });
  }

  void against_other_build() {
    std::map<double, std::vector<double>> gains;
    for (const auto& [name, of] : scenes_) {
      for (const auto& [tolerance, own] : of.simulated) {
        const auto other = of.other.find(tolerance);
        if (other == of.other.end()) continue;
        const Spread gain = ratio_of(other->second, own);
        if (gain.mean > 0) gains[tolerance].push_back(gain.mean);
        add("other build / this", own, gain, 1, true, cost_of(other->second) + ", " + cost_of(own));
      }
    }
    for (auto gain = gains.rbegin(); gain != gains.rend(); ++gain) {
      add_mean("other build / this, geometric mean", gain->second, kLeastGain, true,
               scientific(gain->first) + ", over ");
    }
  }

  // In the first trajectory, which peers run alone.
  void against_peers() {
    with_each_own([&](const SceneRuns& of, double tolerance, const Trajectories& all) {
      const Trajectories own = {all.front()};
      if (own.front()->steps.empty()) return;
      for (const auto& [name, runs] : of.peers) {
        const Trajectories peer = cheapest_to(tolerance, runs);
        const std::string rule = name + " / auto at equal residual";
        if (peer.empty()) {
          add(rule, own, {HUGE_VAL, ""}, kLeastLead, true, "no setting of it reaches this: " + nearest_of(runs));
        } else {
          add(rule, own, ratio_of(peer, own), kLeastLead, true, cost_of(peer) + ", " + cost_of(own));
        }
      }
      beside_default(of, tolerance, own);
    });
  }

  // Bullet's own default is its first setting.
  void beside_default(const SceneRuns& of, double tolerance, const Trajectories& own) {
    const auto bullet = of.peers.find("bullet");
    if (bullet == of.peers.end() || tolerance != kDefaultAt || !is_one_of(kPiles, own.front()->scene)) return;
    const Trajectories standard = {bullet->second.front()};
    add("auto / bullet at its default", own, ratio_of(own, standard), kMostOfDefault, false,
        cost_of(standard) + ", its median residual " +
            scientific(quantile_of(*standard.front(), &StepSample::residual, 0.5)));
  }

  std::vector<std::pair<std::string, SceneRuns>> scenes_;
  std::vector<SceneRule> rules_;
};

}  // namespace

const Trajectories* best_of(std::span<const Trajectories> solvers, long most_unsolved) {
  const Trajectories* best = nullptr;
  Totals least;
  for (const Trajectories& runs : solvers) {
    const Totals all = totals_of(runs);
    if (all.steps == 0 || all.unsolved > most_unsolved) continue;
    if (best != nullptr && (all.steps < least.steps || (all.steps == least.steps && all.seconds >= least.seconds)))
      continue;
    best = &runs;
    least = all;
  }
  return best;
}

Trajectories cheapest_to(double accuracy, const Trajectories& runs) {
  std::vector<Trajectories> reach;
  for (const SceneRun* run : runs) {
    if (quantile_of(*run, &StepSample::residual, 0.5) <= accuracy) reach.push_back({run});
  }
  const Trajectories* best = best_of(reach, std::numeric_limits<long>::max());
  return best == nullptr ? Trajectories() : *best;
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
