#pragma once
// When an iteration has stalled: within a window of what it counts (sweeps, steps, rounds) its residual has not fallen
// below a share of the level it had. One test for every solver; they differ in window, share and what they count.

#include <limits>
#include <string>
#include <string_view>

namespace locdyn::detail {

class Patience {
 public:
  static constexpr double kHalved = 0.5, kOnePercentLess = 0.99;  // shares

  /// The residual must fall below `share` (in (0, 1)) of `level` within `window` ≥ 1; an infinite level is the first
  /// residual's.
  Patience(double share, long window, double level = std::numeric_limits<double>::infinity())
      : share_(share), window_(window), level_(level) {}

  /// The residual after so many. True where it fell far enough: it is the new level, and the window begins anew.
  bool note(double residual, long count) noexcept {
    if (!(residual < share_ * level_)) return false;
    level_ = residual;
    since_ = count;
    return true;
  }
  /// The window begins anew at the same level: another way is tried.
  void restart(long count) noexcept { since_ = count; }

  [[nodiscard]] bool spent(long count) const noexcept { return spent(count, window_); }
  /// The same with another window, for those that grow.
  [[nodiscard]] bool spent(long count, long window) const noexcept { return count - since_ >= window; }

  /// "the residual did not fall by 50 % in 20 rounds", after so many of what is counted.
  [[nodiscard]] std::string reason(long count, std::string_view counted) const;

 private:
  double share_;
  long window_;
  double level_;
  long since_ = 0;
};

}  // namespace locdyn::detail
