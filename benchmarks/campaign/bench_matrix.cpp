#include "bench_matrix.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

#include "builtin_problems.hpp"
#include "child.hpp"
#include "command.hpp"
#include "interrupt.hpp"

namespace locdyn::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGrace = 0.5;    // to start and to be stopped [s]
constexpr double kHeadStart = 1;  // of a solver that is outrun [s]
constexpr double kLead = 3;       // times of the fastest
constexpr const char* kOutrun = "outrun";

// One solver on one problem at one or more tolerances.
struct Task {
  const ProblemSource* problem = nullptr;
  const Peer* peer = nullptr;  // nullptr: a solver of this project
  std::string solver;
  [[nodiscard]] std::string name() const { return peer == nullptr ? solver : peer->name + ":" + solver; }
};

// What a peer divides by may be a million times ‖b‖, so the ladder goes far down.
std::vector<double> ladder() {
  std::vector<double> rungs;
  for (int decade = 2; decade <= 20; ++decade) rungs.push_back(std::stod("1e-" + std::to_string(decade)));
  return rungs;
}

// What the tasks took, to say what the others will take: by solver where it has been seen, else by all.
class Estimate {
 public:
  void add(const std::string& solver, double seconds) {
    for (const std::string& name : {solver, std::string()}) {
      of_[name].first += seconds;
      of_[name].second += 1;
    }
  }
  [[nodiscard]] double of(const std::string& solver) const {
    const auto found = of_.find(solver);
    const auto& [seconds, count] = found != of_.end() ? found->second : of_.at("");
    return seconds / count;
  }
  [[nodiscard]] bool empty() const { return of_.empty(); }

 private:
  std::map<std::string, std::pair<double, double>> of_;
};

class Bench {
 public:
  Bench(const BenchSettings& settings, const BenchEvents& events, BenchReport& report)
      : settings_(settings), events_(events), report_(report) {
    const SolverOptions& options = settings.options;
    limit_ = options.max_seconds > 0 ? options.max_seconds : 1e9;
    tightest_ = *std::min_element(settings.tolerances.begin(), settings.tolerances.end());
    const std::string threads = std::to_string(options.threads);
    surroundings_ = {"OMP_NUM_THREADS=" + threads, "OPENBLAS_NUM_THREADS=1", "GOTO_NUM_THREADS=1", "MKL_NUM_THREADS=1",
                     "OMP_DYNAMIC=false"};
    for (std::size_t at = 0; at < report.runs.size(); ++at) known_[key_of(report.runs[at])] = at;
  }

  void run(const std::vector<Task>& tasks) {
    std::map<std::string, double> waiting;  // tasks by solver, the one under way among them
    for (const Task& task : tasks) waiting[task.name()] += 1;
    for (std::size_t at = 0; at < tasks.size(); ++at) {
      const Task& task = tasks[at];
      if (at > 0) waiting[tasks[at - 1].name()] -= 1;
      if (task.problem != problem_) open(task);
      if (given_up_) continue;
      double left = estimate_.empty() ? -1 : 0;
      if (left >= 0) {
        for (const auto& [solver, count] : waiting) left += count * estimate_.of(solver);
      }
      at_ = {at + 1, tasks.size(), left};
      seconds_ = 0;
      const bool done = task.peer == nullptr ? run_own(task) : climb(task);
      if (!done && report_.interrupted) return;
      if (seconds_ > 0) estimate_.add(task.name(), seconds_);
    }
  }

 private:
  using Key = std::tuple<std::string, std::string, double>;  // problem, solver, tolerance
  struct Place {
    std::size_t at, of;
    double left;
  };

  static Key key_of(const BenchRun& run) { return {run.key, run.full_name(), run.tolerance}; }

  void open(const Task& task) {
    problem_ = task.problem;
    given_up_ = false;
    const std::string hash = names_builtin(task.problem->what) ? "" : file_hash(task.problem->what);
    key_ = hash.empty() ? task.problem->what : hash;
  }

  bool run_own(const Task& task) {
    for (const double tolerance : settings_.tolerances) {
      if (known_.contains({key_, task.name(), tolerance})) continue;
      if (run_one(task, tolerance, limit_) == nullptr) return false;
    }
    return true;
  }

  bool climb(const Task& task) {
    const bool races = settings_.peers == BenchSettings::Peers::race && task.solver != task.peer->solvers.front();
    double& best = best_.try_emplace({key_, task.peer->name}, HUGE_VAL).first->second;
    int failures = 0;
    for (const double rung : ladder()) {
      const auto known = known_.find({key_, task.name(), rung});
      const bool done = known != known_.end() && (races || report_.runs[known->second].status != kOutrun);
      const double limit = races ? std::min(limit_, kHeadStart + kLead * best) : limit_;
      const BenchRun* run = done ? &report_.runs[known->second] : run_one(task, rung, limit);
      if (run == nullptr) return false;
      if (run->residual.scaled <= std::max(tightest_, run->residual.floor)) {
        best = std::min(best, run->time_s);
        return true;
      }
      failures = run->status == "converged" ? 0 : failures + 1;
      if (failures == 2 || run->status == "timed out" || run->status == kOutrun) return true;
    }
    return true;
  }

  // One run in its child, kept in the report. nullptr where it is none: interrupted, or the problem is not to be had.
  const BenchRun* run_one(const Task& task, double tolerance, double limit) {
    const SolverOptions& options = settings_.options;
    char shown[16];
    std::snprintf(shown, sizeof shown, "%.0e", tolerance);
    if (events_.start) events_.start(at_.at, at_.of, task.problem->name + "  " + task.name() + " " + shown, at_.left);
    std::vector<std::string> words;
    if (task.peer == nullptr) {
      words = {"/proc/self/exe",   "bench-run",
               "--measure",        options.measure,
               "--facets",         std::to_string(options.facets),
               "--max-iterations", std::to_string(options.max_iterations)};
      if (!options.without.empty()) words.insert(words.end(), {"--without", options.without});
    } else {
      words = {task.peer->program};
    }
    words.insert(words.end(),
                 {"--solver", task.solver, "--tol", exact(tolerance), "--threads", std::to_string(options.threads),
                  "--max-time", exact(options.max_seconds), "--", task.problem->what});
    const ChildOutcome outcome =
        run_child(words, surroundings_, {.solving_s = task.peer == nullptr ? patience(limit) : limit + kGrace},
                  events_.interrupted);
    seconds_ += outcome.seconds;
    if (outcome.end == ChildOutcome::End::interrupted) {
      report_.interrupted = true;
      return nullptr;
    }
    BenchRun run;
    if (!take(outcome, run)) return nullptr;
    if (outcome.end == ChildOutcome::End::timed_out) {
      run.time_s = run.cpu_s = limit;
      if (limit < limit_) run.status = kOutrun;
    }
    run.problem = task.problem->name;
    run.file = task.problem->what;
    run.key = key_;
    run.solver = task.solver;
    run.peer = task.peer == nullptr ? "" : task.peer->name;
    run.tolerance = tolerance;
    run.threads = options.threads;
    const std::size_t place = known_.try_emplace(key_of(run), report_.runs.size()).first->second;
    if (place == report_.runs.size()) report_.runs.emplace_back();
    report_.runs[place] = std::move(run);
    if (events_.kept) events_.kept(report_);
    return &report_.runs[place];
  }

  // What the child said, or how it failed. False where the problem is not one for this solver, or for none.
  bool take(const ChildOutcome& outcome, BenchRun& run) {
    const Json said = Json::parse(outcome.text, nullptr, false);
    if (said.is_object() && said.contains("unreadable")) {
      given_up_ = true;
      fault(said["unreadable"].get<std::string>());
      return false;
    }
    if (said.is_object() && said.contains("unsupported")) return false;
    if (outcome.end == ChildOutcome::End::exited && outcome.code == 0 && said.is_object()) {
      try {
        run = bench_run_of(said);
        return true;
      } catch (const nlohmann::json::exception&) {  // half a result is none
      }
    }
    run.status = to_string(outcome);
    run.reason = outcome.last_line;
    const double none = std::nan("");
    run.residual.scaled = run.residual.relative = run.residual.absolute = run.residual.floor = none;
    return true;
  }

  void fault(const std::string& line) {
    report_.faults.push_back(line);
    if (events_.fault) events_.fault(line);
  }

  const BenchSettings& settings_;
  const BenchEvents& events_;
  BenchReport& report_;
  double limit_ = 0, tightest_ = 0;
  std::map<std::pair<std::string, std::string>, double> best_;  // of a peer on a problem [s]
  std::vector<std::string> surroundings_;
  std::map<Key, std::size_t> known_;  // place of each run in the report
  const ProblemSource* problem_ = nullptr;
  std::string key_;
  bool given_up_ = false;  // this problem cannot be read
  Place at_ = {};
  double seconds_ = 0;  // of the task under way
  Estimate estimate_;
};

}  // namespace

int BenchReport::status() const {
  if (interrupted) return kInterrupted;
  if (!faults.empty()) return kBad;
  for (const BenchRun& run : runs) {
    if (run.peer.empty() && run.status != "converged") return kNotConverged;
  }
  return kConverged;
}

double patience(double limit_s) noexcept {
  return 1.1 * limit_s + kGrace;
}

void run_bench(const ProblemList& list, const std::vector<const SolverEntry*>& solvers, const std::vector<Peer>& peers,
               const BenchSettings& settings, const BenchEvents& events, BenchReport& report) {
  report.faults.clear();
  report.interrupted = false;
  for (const std::string& line : list.faults) {
    report.faults.push_back(line);
    if (events.fault) events.fault(line);
  }
  std::vector<Task> tasks;
  for (const ProblemSource& problem : list.problems) {
    for (const SolverEntry* solver : solvers) tasks.push_back({&problem, nullptr, std::string(solver->name)});
    for (const Peer& peer : peers) {
      for (const std::string& solver : peer.solvers) tasks.push_back({&problem, &peer, solver});
    }
  }
  Bench(settings, events, report).run(tasks);
}

}  // namespace locdyn::app
