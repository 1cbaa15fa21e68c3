#pragma once
// How far a simulation is, on one line of a terminal that is written over; nothing where there is no terminal.

#include <chrono>
#include <string>

#include <locdyn/simulation/step_report.hpp>

namespace locdyn::app {

class Progress {
 public:
  /// From `start` to `end`, simulated seconds. Shows itself on standard error where that is a terminal and `wanted`.
  enum class Wish { shown, hidden };
  Progress(double start, double end, Wish wish);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// After a step; at most five times a second.
  void update(const StepReport& report);
  /// Without contacts.
  void update(long step, double time);
  /// Takes the line away.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool due();
  void draw(long step, double time, const std::string& more);
  double start_, end_;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point began_ = Clock::now(), last_ = began_;
};

}  // namespace locdyn::app
