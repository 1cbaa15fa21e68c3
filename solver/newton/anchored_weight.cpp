#include <locdyn/solver/newton/anchored_weight.hpp>

#include <algorithm>
#include <cmath>

namespace locdyn::detail {

// Impacts of pyramids of 140 to 285 balls that touch, cold, to 1e-3: of eight problems that the walk with a centre that
// moves leaves at 1e-3 to 3e-3 after 1000 steps this ends five in 230 to 720. As many, or one less, with 0.95 in place
// of 0.85, with 8 or 100 in place of 30, with 8 steps a weight and with another augmentation; none where each centre
// after the first is R = 0, with weights by rows, chosen at random.
void AnchoredWeight::reached(long steps) {
  constexpr double kFall = 0.3, kLeast = 0.03;
  constexpr long kFew = 4, kMany = 8;
  value_ = trial();
  if (first()) {
    share_ = kFall;
  } else if (steps <= kFew) {
    share_ = std::max(share_ * share_, kLeast);
  } else if (steps > kMany) {
    share_ = std::pow(share_, 0.6);
  }
}

void AnchoredWeight::missed() {
  constexpr double kNearest = 0.85, kTimesAboutTheNext = 30;
  if (first()) {
    value_ = std::min(4 * value_, kLargest);
    return;
  }
  share_ = std::pow(share_, 0.4);
  if (share_ <= kNearest) return;
  value_ = std::min(kTimesAboutTheNext * value_, kFirst);
  share_ = 1;
}

}  // namespace locdyn::detail
