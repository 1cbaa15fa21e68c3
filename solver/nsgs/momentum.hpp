#pragma once
// Momentum for sweeps. A sweep soon moves R by nearly the same small step again and again: along modes of W that hardly
// contract, or along its null space, where U is at rest and R walks until some contact slips or opens. Each sweep
// therefore begins a share of the last step ahead,
//
//   R ← G(R + β (R − R_before)),   β = min((θ − 1) / θ', 1 − 1/l),   θ' = (1 + √(1 + 4 θ²)) / 2,
//
// G one sweep; a mode that contracts by 1 − ε is taken l times as far. Slip is what bounds l: with the shift μ ‖U_t‖
// the problem is not convex, and what turns or swings is taken further, too. So l grows while the steps of sweeps
// shrink, and is cut where they have grown, θ beginning anew.
//
// Source: Nesterov, Soviet Math. Dokl. 27 (1983) 372–376; for contacts Mazhar, Heyn, Negrut & Tasora, ACM TOG 34 (2015)
// art. 32; beginning anew: O'Donoghue & Candès, Found. Comput. Math. 15 (2015) 715–732. The rule for l is the
// project's own.

#include <algorithm>
#include <cmath>
#include <limits>

namespace locdyn::detail {

class Momentum {
 public:
  /// β of the sweep that comes next.
  [[nodiscard]] double share() const noexcept { return share_; }

  /// The sweep has moved R by so much, as it tells: ‖D ΔR‖ [m/s].
  void after_sweep(double change) noexcept {
    if (++sweeps_ % kWindow == 0) {
      const bool grew = change > change_before_;
      length_ = grew ? std::max(kShortest, kCut * length_) : std::min(kLongest, kGrowth * length_);
      if (grew) theta_ = 1;
      change_before_ = change;
    }
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * theta_ * theta_));
    share_ = std::min(1 - 1 / length_, (theta_ - 1) / next);
    theta_ = next;
  }
  /// Somebody else has changed R: there is no step before this one, l stays.
  void restart() noexcept {
    theta_ = 1;
    share_ = 0;
    change_before_ = std::numeric_limits<double>::infinity();
  }

 private:
  // Sweeps of `nsgs` on 51 cold problems of fourteen scenes to 1e-4, with a window of 8, growth 1.15 and cut 0.7 over
  // those without momentum but with Anderson mixing and Aitken's long steps, which went: 0.70. First l 2, 5 and 10 in
  // place of 3: 0.76, 0.78, 0.82 (1e-3: 0.86, 0.73, 0.75 for 0.74); most 5 and 40 in place of 20: 0.76, 0.70. On 118
  // problems, files with them: window 12, growth 1.3, cut 0.5, most 50 take at 1e-6 0.93 and at 1e-4 1.01 of the sweeps
  // of 8, 1.2, 0.7, 20; a window of 16 takes 0.96 and 0.94 of those, and loses one problem.
  static constexpr long kWindow = 12;                                                           // sweeps
  static constexpr double kFirst = 3, kShortest = 1, kLongest = 50, kGrowth = 1.3, kCut = 0.5;  // l

  double length_ = kFirst;  // l
  double theta_ = 1, share_ = 0;
  double change_before_ = std::numeric_limits<double>::infinity();  // at the end of the last window
  long sweeps_ = 0;
};

}  // namespace locdyn::detail
