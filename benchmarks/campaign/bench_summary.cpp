#include "bench_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "format.hpp"

namespace locdyn::app {
namespace {

using Times = std::vector<std::optional<double>>;

// The runs by solver and problem.
class BenchTable {
 public:
  explicit BenchTable(std::span<const BenchRun> runs) {
    for (const BenchRun& run : runs) {
      if (std::find(solvers.begin(), solvers.end(), run.full_name()) == solvers.end()) {
        solvers.push_back(run.full_name());
        if (!run.peer.empty()) peers.insert(run.peer);
      }
      if (std::find(problems.begin(), problems.end(), run.key) == problems.end()) problems.push_back(run.key);
      std::size_t& contacts = contacts_[run.key];
      contacts = std::max(contacts, run.contacts);
      at_[{run.full_name(), run.key}].push_back(&run);
    }
  }
  [[nodiscard]] Times times(const std::string& solver, double accuracy, const Judging& judging) const {
    Times all;
    for (const std::string& problem : problems) {
      const auto found = at_.find({solver, problem});
      all.push_back(found == at_.end() ? std::nullopt : time_to(accuracy, judging, found->second));
    }
    return all;
  }
  // Those of problems with enough contacts that both were tried on.
  [[nodiscard]] TimeRatio ratio_on_large(const std::vector<std::string>& own_names, const Times& own,
                                         const std::vector<std::string>& other_names, const Times& other) const {
    Times first, second;
    for (std::size_t k = 0; k < problems.size(); ++k) {
      const auto tried = [&](const std::string& name) { return at_.contains({name, problems[k]}); };
      if (contacts_.at(problems[k]) < kFewContacts || !std::any_of(own_names.begin(), own_names.end(), tried) ||
          !std::any_of(other_names.begin(), other_names.end(), tried)) {
        continue;
      }
      first.push_back(own[k]);
      second.push_back(other[k]);
    }
    return ratio(first, second);
  }
  [[nodiscard]] std::size_t tried(const std::string& solver) const {
    return static_cast<std::size_t>(std::count_if(problems.begin(), problems.end(), [&](const std::string& problem) {
      return at_.contains({solver, problem});
    }));
  }
  std::vector<std::string> solvers, problems;
  std::set<std::string> peers;

 private:
  std::map<std::string, std::size_t> contacts_;
  std::map<std::pair<std::string, std::string>, std::vector<const BenchRun*>> at_;
};

// The least time of each problem over several solvers.
Times least_of(const std::vector<Times>& all) {
  Times least = all.front();
  for (const Times& one : all) {
    for (std::size_t k = 0; k < one.size(); ++k) {
      if (one[k] && (!least[k] || *one[k] < *least[k])) least[k] = one[k];
    }
  }
  return least;
}

double geometric_mean(const Times& times) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& time : times) {
    if (!time) continue;
    sum += std::log(std::max(*time, 1e-9));
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : std::exp(sum / static_cast<double>(count));
}

std::string comparison(const std::string& own, const std::string& other, const TimeRatio& found) {
  const std::string mean =
      found.both == 0 ? "no problem that both solve" : plain(found.mean) + " times as long as " + own;
  return other + " takes " + mean + ": geometric mean over " + counted(found.both, "problem") + "; " + own +
         " alone solves " + std::to_string(found.own) + ", it alone " + std::to_string(found.other) + ", neither " +
         std::to_string(found.neither) + "\n";
}

}  // namespace

std::optional<double> time_to(double accuracy, const Judging& judging, std::span<const BenchRun* const> runs) {
  std::optional<double> least;
  for (const BenchRun* run : runs) {
    const bool scaled = run->residual.scaled <= std::max(accuracy, run->residual.floor);
    const bool own_word = run->status == "converged" && run->tolerance == accuracy;
    const bool met = !run->peer.empty() ? scaled : own_word && (run->pyramid || judging.measure != "scaled" || scaled);
    if (met && (!least || run->*judging.time < *least)) least = run->*judging.time;
  }
  return least;
}

TimeRatio ratio(std::span<const std::optional<double>> own, std::span<const std::optional<double>> other) {
  TimeRatio found;
  double sum = 0;
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (own[k] && other[k]) {
      sum += std::log(std::max(*other[k], 1e-9) / std::max(*own[k], 1e-9));
      ++found.both;
    } else {
      ++(own[k] ? found.own : other[k] ? found.other : found.neither);
    }
  }
  found.mean =
      found.both == 0 ? std::numeric_limits<double>::quiet_NaN() : std::exp(sum / static_cast<double>(found.both));
  return found;
}

std::string summary(std::span<const BenchRun> runs, std::span<const double> accuracies, const Judging& judging) {
  if (runs.empty()) return {};
  const BenchTable table(runs);
  const std::string& own = table.solvers.front();
  std::size_t wide = 6;
  for (const std::string& solver : table.solvers) wide = std::max(wide, width(solver));
  std::string text;
  for (const double accuracy : accuracies) {
    const Times own_times = table.times(own, accuracy, judging);
    text += (text.empty() ? "" : "\n") + judging.measure + " residual ≤ " + scientific(accuracy) + "\n" +
            left("solver", wide) + "  solved         mean time  time of it / " + own + "\n";
    for (const std::string& solver : table.solvers) {
      const Times times = table.times(solver, accuracy, judging);
      const auto solved = std::count_if(times.begin(), times.end(), [](const auto& time) { return time.has_value(); });
      text += left(solver, wide) + "  " +
              left(std::to_string(solved) + " of " + std::to_string(table.tried(solver)), 13) + "  " +
              right(duration(geometric_mean(times)), 9);
      const TimeRatio found = table.ratio_on_large({own}, own_times, {solver}, times);
      if (solver != own && found.both > 0) text += "  " + plain(found.mean) + " on " + std::to_string(found.both);
      text += "\n";
    }
    // Against each peer: its default, which its program lists first, and the best of all its solvers on each problem.
    for (const std::string& peer : table.peers) {
      std::vector<std::string> names;
      std::vector<Times> all;
      for (const std::string& solver : table.solvers) {
        if (!solver.starts_with(peer + ":")) continue;
        names.push_back(solver);
        all.push_back(table.times(solver, accuracy, judging));
      }
      text += comparison(own, names.front(), table.ratio_on_large({own}, own_times, {names.front()}, all.front()));
      text += comparison(own, "the best of " + counted(names.size(), "solver") + " of " + peer + " on each problem",
                         table.ratio_on_large({own}, own_times, names, least_of(all)));
    }
  }
  return text + "Mean time: geometric, over the problems it solved. Ratios: over problems of at least " +
         std::to_string(kFewContacts) + " contacts that both solve.\n";
}

}  // namespace locdyn::app
