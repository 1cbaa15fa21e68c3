#pragma once
// Do several threads pay? On small work, or beside a process that takes their cores, they may take longer than one:
// each waits for the one that is not running, many times in a piece of work.

#include <algorithm>
#include <array>
#include <cstddef>

namespace locdyn::detail {

/// Chooses between one thread and all for repeated work whose result does not depend on it, by what a unit of work
/// takes with either. Now and then it tries the other choice in every second piece, each beside the mean of the pieces
/// before and after it, so that work that grows does not look like a choice that is worse; the median of three such
/// pairs decides. It begins with one thread, ends a trial whose first pair shows no gain, and begins one at once where
/// work on all threads has become dear, which one pair may end. What takes less than 0.1 ms it leaves to one thread,
/// and the more a trial has lost the later comes the next. So the clock decides how fast, never what comes out.
class ThreadTrial {
 public:
  /// For the next piece of work: `threads` or 1.
  [[nodiscard]] int next(int threads) noexcept {
    if (threads <= 1) return 1;
    return (tries_other() ? !many_ : many_) ? threads : 1;
  }

  /// What that piece of work took [s], and how much it was (any unit, the same each time).
  void note(double seconds, double work) noexcept {
    const double cost = work > 0 ? seconds / work : 0;
    const int piece = count_ - period_;
    if (piece < 0 && !many_ && seconds < kTooShort) return;
    ++count_;
    if (piece < 0) {
      if (become_dear(cost)) count_ = period_;
    } else if (piece % 2 == 1) {
      other_ = cost;
    } else {
      add_to_usual(cost);
      if (piece > 0) compare(piece / 2 - 1, 2 * other_, before_ + cost);
      before_ = cost;
    }
  }

 private:
  // Played over the times of nine scenes' steps on one thread and on two, alone and beside a busy process: 0.61 to 1.03
  // of one thread's time, where the better choice for the whole run took 0.60 to 1 and the worse one up to 2.6 times
  // it. Trials twice as often cost small steps 4 % instead of 2; five pairs a trial change nothing that can be told.
  static constexpr int kPairs = 3, kShortest = 6, kLongest = 192;
  static constexpr double kHopeless = 1.1;
  // [s] Steps of 0.02 to 0.06 ms take 1.03 to 2.7 times as long on two threads, those of 0.2 ms and more from 0.8
  // times.
  static constexpr double kTooShort = 1e-4;
  // Of the time that goes by until the next trial, as long as that is not too far away. Thirteen scenes with and
  // without a budget of ten sweeps, beside a busy process (a tried step then takes one's time and 4 ms): 1.09 of one
  // thread's time, where trials come as often after any loss 1.23; where no process is busy the same.
  static constexpr double kMostLost = 0.05;
  static constexpr int kLongestAfterLoss = 2 * kLongest;
  static constexpr double kGain = 0.95;  // less is not worth the other cores
  // Beside processes that keep all cores busy work on two threads takes a hundred times as long as on one. What a unit
  // of work takes scatters by a third from step to step.
  static constexpr double kDear = 1.5;
  static constexpr int kDearPieces = 2;  // one after the other

  [[nodiscard]] bool tries_other() const noexcept { return count_ >= period_ && (count_ - period_) % 2 == 1; }

  // What pieces of the choice that stands took lately, the latest counting most.
  void add_to_usual(double cost) noexcept {
    if (cost > 0) usual_ = usual_ > 0 ? (usual_ + cost) / 2 : cost;
  }

  [[nodiscard]] bool become_dear(double cost) noexcept {
    const bool dear = many_ && usual_ > 0 && cost > kDear * usual_;
    dear_ = dear ? dear_ + 1 : 0;
    if (!dear) add_to_usual(cost);
    return dear_ == kDearPieces;
  }

  void compare(int pair, double other, double own) noexcept {
    ratios_[static_cast<std::size_t>(pair)] = other > 0 && own > 0 ? other / own : 1;
    if (ratios_[0] > kHopeless) return end(false);
    if (many_ && ratios_[0] < 1 / kDear) return end(true);
    if (pair + 1 < kPairs) return;
    std::sort(ratios_.begin(), ratios_.end());
    end(ratios_[kPairs / 2] < (many_ ? 1 : kGain));
  }

  // So many pieces of the choice that stands could be done for what the first pair has lost, over kMostLost.
  [[nodiscard]] int pieces_lost() const noexcept {
    return static_cast<int>(std::clamp((ratios_[0] - 1) / kMostLost, 0.0, double{kLongestAfterLoss}));
  }
  void end(bool changes) noexcept {
    many_ = many_ != changes;
    period_ = changes ? 2 * kShortest : std::max(std::min(2 * period_, kLongest), pieces_lost());
    count_ = dear_ = 0;
    if (changes) usual_ = 0;
  }

  std::array<double, kPairs> ratios_{};        // of the other choice's cost to that of the one that stands
  double usual_ = 0, other_ = 0, before_ = 0;  // cost of a unit of work [s]
  int count_ = 0, period_ = kShortest;         // pieces since the last trial, and before the next one
  int dear_ = 0;
  bool many_ = false;
};

}  // namespace locdyn::detail
