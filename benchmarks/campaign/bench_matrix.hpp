#pragma once
// The runs of a bench: problems × solvers × tolerances, each in a process of its own with a time limit, so that a
// crash, a hang or too little memory is a run that failed and no more.
//
// A solver of this project runs once at each tolerance asked for. What a peer means by its tolerance is its own affair:
// it climbs a ladder of them, 1e-2 to 1e-20 by decades, until the residual by the one judge meets the tightest accuracy
// asked for, or a run passes the time limit, or two runs in turn fail by the peer's own word.

#include <functional>
#include <string>
#include <vector>

#include "bench_run.hpp"
#include "peers.hpp"
#include "problems.hpp"
#include "solver_options.hpp"

namespace locdyn::app {

struct BenchSettings {
  SolverOptions options;           ///< its `tolerance` is not looked at
  std::vector<double> tolerances;  ///< in the order asked for

  /// All of a peer's solvers run for their whole time; or each but the first, its default, is ended ("outrun") once it
  /// takes three times as long, and a second, as the fastest of the peer's runs that met the tightest accuracy on this
  /// problem. That leaves every "best of all solvers on each problem" as it is, at any of the accuracies, and the
  /// profiles of those outrun unknown.
  enum class Peers { all_in_full, race };
  Peers peers = Peers::all_in_full;
};

/// What was done, earlier runs that were taken over first.
struct BenchReport {
  std::vector<BenchRun> runs;
  std::vector<std::string> faults;  ///< one line for each input that could not be read
  bool interrupted = false;         ///< ended before all was done

  /// kInterrupted where it was, else kBad where there is a fault, else kNotConverged where some run of this project's
  /// own solvers did not converge, else kConverged.
  [[nodiscard]] int status() const;
};

/// What is told on the way; each may be empty.
struct BenchEvents {
  /// Before each run: `at` of `of` pairs of a problem and a solver, and what is left of them in seconds by what they
  /// took so far, negative where nothing is known.
  std::function<void(std::size_t at, std::size_t of, const std::string& run, double left_s)> start;
  std::function<void(const BenchReport& so_far)> kept;  ///< after each run
  std::function<void(const std::string& line)> fault;
  std::function<bool()> interrupted;  ///< asked all the time: ends the run under way, which is not kept
};

/// Does all runs that are not in `report` yet (by content of the problem, solver and tolerance) and adds them.
void run_bench(const ProblemList& list, const std::vector<const SolverEntry*>& solvers, const std::vector<Peer>& peers,
               const BenchSettings& settings, const BenchEvents& events, BenchReport& report);

/// The longest that a run of this project's own solver is let run: the limit, 10 % and half a second.
[[nodiscard]] double patience(double limit_s) noexcept;

}  // namespace locdyn::app
