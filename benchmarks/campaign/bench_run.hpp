#pragma once
// What a bench keeps of one run: one problem, one solver, one tolerance.

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "run.hpp"

namespace locdyn::app {

struct BenchRun {
  std::string problem;  ///< its name in tables
  std::string file;     ///< what was asked for: a path, or builtin:scene:size
  std::string key;      ///< of its content: the same problem has the same key wherever it lies
  std::string solver;
  std::string peer;      ///< the program that the solver is of; empty: this one
  double tolerance = 0;  ///< the solver's own: on the measure asked for, or what a peer means by it
  std::string status;    ///< as SolveStatus, or "timed out", "crashed (signal 11)", "out of memory", "refused"
  std::string reason;    ///< one clause where it is not "converged"
  std::string finished_by;
  bool pyramid = false;
  std::size_t contacts = 0, blocks = 0;
  long iterations = 0;
  double time_s = 0;  ///< wall clock of the solver's call alone; of the fastest of `repeats`
  double cpu_s = 0;   ///< its processor time, all threads; the least of `repeats`
  int repeats = 0;    ///< calls, each from R = 0
  Residual residual;  ///< by the one judge; not-a-number where there is no R
  double own_residual = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::pair<double, double>> history;  ///< seconds and the residual tested, ascending in time
  int threads = 1;
  std::string reaction_hash;  ///< of the bytes of R, row by row in order of id

  /// "nsgs", or "siconos:nsgs".
  [[nodiscard]] std::string full_name() const { return peer.empty() ? solver : peer + ":" + solver; }
};

/// One object with the members' names; not-a-number as null.
[[nodiscard]] nlohmann::ordered_json to_json(const BenchRun& run);
/// Throws nlohmann::json::exception where a member is missing or of another type.
[[nodiscard]] BenchRun bench_run_of(const nlohmann::ordered_json& object);

/// What a call takes, from its construction on.
struct CallTime {
  double wall_s = 0, cpu_s = 0;
};
class CallClock {
 public:
  [[nodiscard]] CallTime read() const noexcept;

 private:
  [[nodiscard]] static CallTime now() noexcept;
  CallTime start_ = now();
};

/// Solves with a fresh start up to five times while the fastest call takes less than 20 ms, and fills in all that a
/// solver's report tells. `before` and `after` are called around each call.
void fill(BenchRun& run, LocalDynamics& ldy, const SolverEntry& solver, const StopOptions& stop,
          const SolverChoices& choices, const std::function<void()>& before, const std::function<void()>& after);

/// How often a call that took so long is made again: a short one is at the mercy of caches and of the clock.
[[nodiscard]] bool worth_repeating(int calls, double fastest) noexcept;

/// Sixteen hexadecimal digits of R's bytes, rows in order of id.
[[nodiscard]] std::string reaction_hash(const LocalDynamics& ldy);
/// Sixteen hexadecimal digits (FNV-1a, 64 bits) of a file's bytes; empty where it cannot be read.
[[nodiscard]] std::string file_hash(const std::string& path);

}  // namespace locdyn::app
