#pragma once
// Do several threads pay? On small work, or beside a process that takes their cores, they may take longer than one:
// each waits for the one that is not running, many times in a piece of work.

#include <algorithm>

namespace locdyn::detail {

/// Chooses between one thread and all for repeated work whose result does not depend on it, by what a unit of work
/// takes with either: now and then three pieces are a trial of the other choice, beside the pieces just before. It
/// begins with one thread, ends a trial whose first piece shows that it is hopeless, and begins one at once where work
/// on all threads has become dear. So the clock decides how fast, never what comes out.
class ThreadTrial {
 public:
  /// For the next piece of work: `threads` or 1.
  [[nodiscard]] int next(int threads) noexcept {
    if (threads <= 1) return 1;
    return (trying() ? !many_ : many_) ? threads : 1;
  }

  /// What that piece of work took [s], and how much it was (any unit, the same each time).
  void note(double seconds, double work) noexcept {
    const double cost = work > 0 ? seconds / work : 0;
    const bool dear = chosen_ > 0 && cost > kDear * chosen_;
    if (trying()) {
      // The first finds its data in another core's cache.
      if (count_ == period_ - kTrial) {
        if (dear) return end(false);
      } else {
        add(cost, tried_);
      }
    } else if (count_ > 0) {
      dear_ = many_ && dear ? dear_ + 1 : 0;
      if (dear_ == 0) add(cost, chosen_);
      // What it costs now is what a trial is to be compared with.
      if (dear_ == kDearPieces) {
        chosen_ = cost;
        count_ = period_ - kTrial - 1;
      }
    }
    if (++count_ == period_) end(tried_ > 0 && tried_ < (many_ ? 1 : kGain) * chosen_);
  }

 private:
  static constexpr int kTrial = 3, kShortest = 6, kLongest = 256;
  // Beside processes that keep all cores busy work on two threads takes a hundred times as long as on one. What a unit
  // of work takes scatters by a third from step to step.
  static constexpr double kDear = 1.5;
  static constexpr int kDearPieces = 2;  // one after the other
  static constexpr double kGain = 0.95;  // less is not worth the other core

  [[nodiscard]] bool trying() const noexcept { return count_ >= period_ - kTrial; }

  // The latest count most.
  static void add(double cost, double& mean) noexcept {
    if (cost > 0) mean = mean > 0 ? (mean + cost) / 2 : cost;
  }

  void end(bool changes) noexcept {
    many_ = many_ != changes;
    period_ = changes ? 2 * kShortest : std::min(2 * period_, kLongest);
    count_ = dear_ = 0;
    chosen_ = tried_ = 0;
  }

  double chosen_ = 0, tried_ = 0;       // cost of a unit of work [s]
  int count_ = 0, period_ = kShortest;  // pieces of this period: so far, in all
  int dear_ = 0;
  bool many_ = false;
};

}  // namespace locdyn::detail
