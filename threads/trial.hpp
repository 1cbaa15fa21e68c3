#pragma once
// Do several threads pay? On small work, or beside a process that takes their cores, they may take longer than one:
// each waits for the one that is not running.

#include <algorithm>
#include <array>

namespace locdyn::detail {

/// Chooses between one thread and all for repeated work whose result does not depend on it, by what a unit of work
/// takes with either: in every 32 pieces the last three are a trial of the other choice, beside the pieces just before.
/// So the clock decides how fast, never what comes out.
class ThreadTrial {
 public:
  /// For the next piece of work: `threads` or 1.
  [[nodiscard]] int next(int threads) noexcept {
    if (threads <= 1) return 1;
    return (trying() ? !many_ : many_) ? threads : 1;
  }

  /// What that piece of work took [s], and how much it was (any unit, the same each time).
  void note(double seconds, double work) noexcept {
    // The first after a change finds its data in another core's cache.
    const bool counts = count_ != 0 && count_ != period_ - kTrial && work > 0;
    if (counts) {
      double& cost = cost_[trying()];
      cost = cost > 0 ? (cost + seconds / work) / 2 : seconds / work;
    }
    if (++count_ < period_) return;
    const bool wrong = cost_[1] > 0 && cost_[1] < cost_[0];
    if (wrong) many_ = !many_;
    period_ = wrong ? kShortest : std::min(2 * period_, kLongest);
    count_ = 0;
    cost_ = {};
  }

 private:
  static constexpr int kTrial = 3, kShortest = 12, kLongest = 256;

  [[nodiscard]] bool trying() const noexcept { return count_ >= period_ - kTrial; }

  std::array<double, 2> cost_ = {};     // of a unit of work [s]: as chosen, and on trial; the latest count most
  int count_ = 0, period_ = kShortest;  // pieces of this period: so far, in all
  bool many_ = true;
};

}  // namespace locdyn::detail
