#pragma once
// How far a bench is and how long it will still take, on one line of a terminal that is written over; nothing where
// standard error is none.

#include <cstddef>
#include <string>

namespace locdyn::app {

class BenchProgress {
 public:
  BenchProgress();
  ~BenchProgress() { clear(); }
  BenchProgress(const BenchProgress&) = delete;
  BenchProgress& operator=(const BenchProgress&) = delete;

  /// Before a run; `left_s` < 0: nothing is known of what is left.
  void start(std::size_t at, std::size_t of, const std::string& run, double left_s);
  /// Takes the line away.
  void clear();

 private:
  bool terminal_, drawn_ = false;
};

/// "40 s", "12 min", "3 h 05 min".
[[nodiscard]] std::string roughly(double seconds);

}  // namespace locdyn::app
