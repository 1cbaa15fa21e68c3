#pragma once
// Where a function of one number is least: samples choose the valley, then the zero of the slope in it is found by
// Newton's steps, or those of the secant where no curvature is known, with bisection where they would leave the bracket
// or gain too little.
//
// Source: Dekker, in Constructive Aspects of the Fundamental Theorem of Algebra (1969) 37–48 (the safeguard).

#include <functional>

namespace locdyn::detail {

/// f, f′ and f″ at a place.
struct Slope {
  double value, first;
  double second = 0;  ///< 0: not known
};

/// Where samples are taken.
struct SearchRange {
  double low = 0, high = 1;
  int samples = 64;     ///< ≥ 4: a valley narrower than their distance may be missed
  bool joined = false;  ///< high is low again, as on a closed curve: a valley may lie across
};

/// How many they are, and where: 0 … samples, without the last where the range is joined.
[[nodiscard]] constexpr int sample_count(const SearchRange& range) noexcept {
  return range.samples + (range.joined ? 0 : 1);
}
[[nodiscard]] double sample_place(const SearchRange& range, int k);

/// The place of the least value, a zero of f′ to rounding unless it is an end of the range; of equal valleys that of
/// the first sample. Throws std::invalid_argument naming `what` where f or f′ is not finite. Cost: `samples` and some
/// 10 evaluations more.
[[nodiscard]] double least_place(const std::function<Slope(double)>& f, const SearchRange& range, const char* what);
/// The same where the least sample is known.
[[nodiscard]] double least_place_near(const std::function<Slope(double)>& f, const SearchRange& range, int best,
                                      const char* what);

}  // namespace locdyn::detail
