#pragma once
// Sweeps that go where the change is, with long steps (`extrapolation`), and mixing over all constraints (`anderson`):
// which of them a problem needs shows only on the way. One of the two has the lead, the other is tried for a block of
// windows where the leader is slow, and takes the lead where it did better. A trial that fails doubles the blocks until
// the next one. Mixing that gains nothing at all loses the lead.

#include <algorithm>
#include <cmath>

namespace locdyn::detail {

class Alternation {
 public:
  [[nodiscard]] bool mixing() const noexcept { return trial_ != leads_; }

  /// After a window of sweeps that left the best residual at `best`: does the other one go on?
  [[nodiscard]] bool changes(double best) {
    if (std::isinf(level_)) {  // one window of sweeps comes first
      level_ = best;
      trial_ = true;
      return true;
    }
    if (++windows_ < kBlock) return false;
    const double gain = std::log(level_ / best);
    level_ = best;
    windows_ = 0;
    return trial_ ? judge_trial(gain) : judge_leader(gain);
  }

  /// Has the block that ended last brought the best residual down?
  [[nodiscard]] bool gained() const noexcept { return gained_; }

  /// Sweeps go on, whatever they gain.
  void sweep_on() {
    leads_ = trial_ = false;
    windows_ = 0;
    blocks_ = 0;
  }

 private:
  static constexpr int kBlock = 4;      // windows
  static constexpr double kFast = 2.3;  // a gain of 10 in a block: no trial
  static constexpr long kMostPatience = 64;

  bool judge_trial(double gain) {
    gained_ = gain > 0;
    trial_ = false;
    blocks_ = 0;
    if (gain > gain_) {
      leads_ = !leads_;
      gain_ = gain;
      patience_ = 1;
      return false;
    }
    patience_ = std::min(2 * patience_, kMostPatience);
    return true;
  }
  bool judge_leader(double gain) {
    gained_ = gain > 0;
    gain_ = gain;
    ++blocks_;
    if (leads_ && gain == 0) {
      leads_ = false;
      blocks_ = 0;
      return true;
    }
    if (gain >= kFast || blocks_ < patience_) return false;
    trial_ = true;
    return true;
  }

  bool leads_ = false;  // mixing does
  bool trial_ = false;  // of the other
  bool gained_ = true;
  double level_ = INFINITY;  // best residual at the block's start
  double gain_ = 0;          // of the leader's last block, a logarithm
  int windows_ = 0;          // of the block
  long blocks_ = 0;          // of the leader since the last trial
  long patience_ = 1;        // blocks until the next
};

}  // namespace locdyn::detail
