#pragma once
// How far a simulation, a row of runs or a solve is, and how long it will still take: one line of a terminal that is
// written over, nothing where there is no terminal.

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include <locdyn/simulation/step_report.hpp>
#include <locdyn/solver/solve_options.hpp>

#include "status_line.hpp"

namespace locdyn::app {

/// Of steps from `start` to `end`, simulated seconds.
class StepProgress {
 public:
  StepProgress(double start, double end, StatusLine::Wish wish) : start_(start), end_(end), line_(0, wish) {}

  /// After a step.
  void update(const StepReport& report);
  /// Without contacts.
  void update(long step, double time);
  void clear() { line_.clear(); }

 private:
  void show(long step, double time, const std::string& more);
  double start_, end_;
  StatusLine line_;
};

/// Of runs one after the other.
class RunProgress {
 public:
  /// Before the run `at` of `of`, counted from 1. `left_s` < 0: judged from those that are done.
  void start(std::size_t at, std::size_t of, const std::string& run, double left_s = -1);
  void clear() { line_.clear(); }

 private:
  StatusLine line_;
};

/// Of one solve, from its second second on: what is left is told from how fast the residual has fallen so far. Where
/// islands are solved one after the other the residual is that of the one at work.
class SolveProgress {
 public:
  explicit SolveProgress(StatusLine::Wish wish) : line_(kPatience, wish) {}

  /// `stop` with this as its observer. This outlives the solve.
  [[nodiscard]] StopOptions watched(StopOptions stop);
  void clear() { line_.clear(); }

 private:
  static constexpr double kPatience = 2;  // seconds
  void take(const SolveReport::Sample& sample);
  double tolerance_ = 0, max_seconds_ = 0, first_ = -1;
  std::mutex lock_;  // islands tell from several threads
  std::function<void(const SolveReport::Sample&)> observer_ = [this](const auto& sample) { take(sample); };
  StatusLine line_;
};

}  // namespace locdyn::app
