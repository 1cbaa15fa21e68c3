#pragma once
// Two ways to accelerate Gauss–Seidel, of which the residual's decrease chooses: sweeps over active constraints with
// extrapolation (`extrapolation`), and Anderson mixing of whole sweeps (`anderson`). One is in use; after a block of
// windows in which it was slow the other is tried for a block, and replaces it where the residual fell faster. Each
// trial that fails doubles the number of blocks before the next. Mixing that lowers nothing in a block is given up.

#include <algorithm>
#include <cmath>

namespace locdyn::detail {

class Alternation {
 public:
  [[nodiscard]] bool mixing() const noexcept { return on_trial_ != mixing_in_use_; }

  /// After a window of sweeps that left the best residual at `best`: does the other one go on?
  [[nodiscard]] bool changes(double best) {
    if (std::isinf(residual_before_)) {  // one window of sweeps comes first
      residual_before_ = best;
      on_trial_ = true;
      return true;
    }
    if (++windows_ < kBlock) return false;
    const double decrease = std::log(residual_before_ / best);
    residual_before_ = best;
    windows_ = 0;
    return on_trial_ ? judge_trial(decrease) : judge_in_use(decrease);
  }

  /// Has the block that ended last brought the best residual down?
  [[nodiscard]] bool decreased() const noexcept { return decreased_; }

  /// Sweeps alone from now on, until they are slow.
  void sweep_only() {
    mixing_in_use_ = on_trial_ = false;
    windows_ = 0;
    blocks_in_use_ = 0;
  }

 private:
  static constexpr int kBlock = 4;      // windows
  static constexpr double kFast = 2.3;  // a residual ten times smaller after a block: no trial
  static constexpr long kMostBlocks = 64;

  bool judge_trial(double decrease) {
    decreased_ = decrease > 0;
    on_trial_ = false;
    blocks_in_use_ = 0;
    if (decrease > decrease_in_use_) {
      mixing_in_use_ = !mixing_in_use_;
      decrease_in_use_ = decrease;
      blocks_between_trials_ = 1;
      return false;
    }
    blocks_between_trials_ = std::min(2 * blocks_between_trials_, kMostBlocks);
    return true;
  }
  bool judge_in_use(double decrease) {
    decreased_ = decrease > 0;
    decrease_in_use_ = decrease;
    ++blocks_in_use_;
    if (mixing_in_use_ && decrease == 0) {
      mixing_in_use_ = false;
      blocks_in_use_ = 0;
      return true;
    }
    if (decrease >= kFast || blocks_in_use_ < blocks_between_trials_) return false;
    on_trial_ = true;
    return true;
  }

  bool mixing_in_use_ = false;  // else sweeps are
  bool on_trial_ = false;       // the other one runs
  bool decreased_ = true;
  double residual_before_ = INFINITY;  // best residual at the block's start
  double decrease_in_use_ = 0;         // of the residual in the last block of the one in use, a logarithm
  int windows_ = 0;                    // of the block
  long blocks_in_use_ = 0;             // since the last trial
  long blocks_between_trials_ = 1;     // of the one in use
};

}  // namespace locdyn::detail
