#include "advice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string_view>

#include "format.hpp"

namespace locdyn::app {
namespace {

constexpr std::string_view kDefault = "auto";

std::string joined(const auto&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

bool converged(const Run& run) {
  return run.report.status == SolveStatus::converged;
}

// The problems in order, each with its runs.
std::vector<std::vector<const Run*>> by_problem(std::span<const Run> runs) {
  std::vector<std::vector<const Run*>> problems;
  std::map<std::string, std::size_t> place;
  for (const Run& run : runs) {
    const auto [at, fresh] = place.try_emplace(run.problem, problems.size());
    if (fresh) problems.emplace_back();
    problems[at->second].push_back(&run);
  }
  return problems;
}

// Times closer than this are a tie.
constexpr double kClear = 1.2;

// The faster of two solvers on one problem: −1 the first, +1 the second, 0 where neither converged or neither is
// clearly faster.
int faster(const std::vector<const Run*>& problem, const std::string& first, const std::string& second) {
  double time[2] = {HUGE_VAL, HUGE_VAL};
  for (const Run* run : problem) {
    if (!converged(*run)) continue;
    if (run->solver == first) time[0] = run->report.seconds;
    if (run->solver == second) time[1] = run->report.seconds;
  }
  if (time[0] * kClear < time[1]) return -1;
  return time[1] * kClear < time[0] ? 1 : 0;
}

// A split of problems by size: at most `limit` the one solver wins, above it the other.
struct Split {
  double limit = 0;
  bool first_below = true;
  std::size_t right = 0, outcomes = 0, majority = 0;
};

Split best_split(std::vector<std::pair<double, int>> outcomes) {
  std::sort(outcomes.begin(), outcomes.end());
  Split best;
  best.outcomes = outcomes.size();
  const auto first_wins = static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.second < 0; }));
  best.majority = std::max(first_wins, outcomes.size() - first_wins);
  std::size_t first_below = 0;
  for (std::size_t cut = 1; cut < outcomes.size(); ++cut) {
    first_below += outcomes[cut - 1].second < 0 ? 1 : 0;
    if (outcomes[cut - 1].first == outcomes[cut].first) continue;
    const std::size_t second_above = (outcomes.size() - cut) - (first_wins - first_below);
    const std::size_t agree = first_below + second_above;
    for (const bool below : {true, false}) {
      const std::size_t right = below ? agree : outcomes.size() - agree;
      if (right > best.right) best = {outcomes[cut - 1].first, below, right, best.outcomes, best.majority};
    }
  }
  return best;
}

std::string two_by_size(std::span<const Run> runs, const std::string& first, const std::string& second) {
  std::vector<std::pair<double, int>> by_contacts, by_coupling;
  for (const auto& problem : by_problem(runs)) {
    const int winner = faster(problem, first, second);
    if (winner == 0) continue;
    const auto contacts = static_cast<double>(problem.front()->contacts);
    by_contacts.emplace_back(contacts, winner);
    by_coupling.emplace_back(static_cast<double>(problem.front()->blocks) / std::max(contacts, 1.0), winner);
  }
  const Split contacts = best_split(by_contacts), coupling = best_split(by_coupling);
  if (by_contacts.empty()) return joined("Between ", first, " and ", second, " no problem shows a clear difference.");
  const bool use_contacts = contacts.right >= coupling.right;
  const Split& split = use_contacts ? contacts : coupling;

  std::size_t first_wins = 0;
  for (const auto& outcome : by_contacts) first_wins += outcome.second < 0 ? 1 : 0;
  const std::string of = joined(" of ", counted(split.outcomes, "problem"));
  // A split counts where it leaves open at most half of what the more frequent winner alone does.
  if (split.right > split.majority && 2 * (split.outcomes - split.right) <= split.outcomes - split.majority) {
    return joined("Between the two, ", split.first_below ? first : second, " up to about ", plain(split.limit),
                  use_contacts ? " contacts" : " neighbours a contact", ", ", split.first_below ? second : first,
                  " above: that picks the faster one on ", split.right, of, ".");
  }
  return joined("Between the two, ", first, " was the faster on ", first_wins, of, ", ", second, " on ",
                split.outcomes - first_wins, "; neither size nor coupling tells which.");
}

bool better(const SolverSummary& a, const SolverSummary& b) {
  return a.converged != b.converged ? a.converged > b.converged : a.seconds < b.seconds;
}

std::string share_of(const SolverSummary& summary) {
  return joined("converged on ", summary.converged, " of ", counted(summary.runs, "problem"), " in ",
                duration(summary.seconds));
}

// A set of problems says which solver was best on it; the default stays the default.
std::string first_choice(const std::vector<SolverSummary>& round) {
  const SolverSummary& best = *std::min_element(round.begin(), round.end(), better);
  if (best.converged == 0) return "Nothing converged: raise the limits or the tolerance.";
  if (round.size() == 1) return joined(best.solver, " ", share_of(best), ".");
  const std::string of = joined(" altogether, the best of ", round.size(), ".");
  if (best.solver == kDefault) return joined("Use ", kDefault, ", the default: it ", share_of(best), of);
  const auto usual = std::find_if(round.begin(), round.end(), [](const auto& s) { return s.solver == kDefault; });
  if (usual == round.end()) return joined("Of these ", best.solver, " did best: it ", share_of(best), of);
  return joined(best.solver, " did best on this set: it ", share_of(best), of, " ", kDefault, ", the default, ",
                share_of(*usual),
                usual->converged == best.converged ? ": keep it for problems that you do not know." : ".");
}

}  // namespace

std::vector<SolverSummary> summaries(std::span<const Run> runs) {
  std::vector<SolverSummary> all;
  const auto of = [&](const Run& run) -> SolverSummary& {
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.solver == run.solver; });
    return at != all.end() ? *at : all.emplace_back(SolverSummary{.solver = run.solver, .pyramid = run.pyramid});
  };
  for (const Run& run : runs) {
    SolverSummary& summary = of(run);
    summary.runs += 1;
    summary.converged += converged(run) ? 1 : 0;
    summary.seconds += run.report.seconds;
  }
  for (const auto& problem : by_problem(runs)) {
    for (const bool pyramid : {false, true}) {
      const Run* best = nullptr;
      for (const Run* run : problem) {
        if (run->pyramid != pyramid || !converged(*run)) continue;
        if (best == nullptr || run->report.seconds < best->report.seconds) best = run;
      }
      if (best != nullptr) of(*best).fastest += 1;
    }
  }
  return all;
}

std::string advice(std::span<const Run> runs) {
  std::vector<SolverSummary> round;
  for (const SolverSummary& summary : summaries(runs)) {
    if (!summary.pyramid) round.push_back(summary);
  }
  if (round.empty()) return "";
  std::string text = first_choice(round);

  // The two that were fastest most often, `auto` apart: it hands the work to one of the others.
  std::erase_if(round, [](const SolverSummary& s) { return s.solver == kDefault || s.converged == 0; });
  std::stable_sort(round.begin(), round.end(), [](const auto& a, const auto& b) { return a.fastest > b.fastest; });
  if (round.size() >= 2) text += joined(" ", two_by_size(runs, round[0].solver, round[1].solver));
  return text;
}

}  // namespace locdyn::app
