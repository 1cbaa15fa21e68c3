#include <locdyn/forces/penalty/least_place.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn::detail {
namespace {

constexpr int kMostIterations = 200;
constexpr double kPlaceRounding = std::numeric_limits<double>::epsilon();

struct Place {
  double x;
  Slope f;
};

class Valley {
 public:
  Valley(const std::function<Slope(double)>& f, const char* what) : f_(f), what_(what) {}

  [[nodiscard]] Place at(double x) const {
    const Place place{x, f_(x)};
    const double sum = place.f.value + place.f.first;
    if (std::isfinite(sum)) return place;
    throw std::invalid_argument(std::string(what_) + ": expected finite numbers, found " + spelled(sum) + " at " +
                                spelled(x));
  }

  // f(middle) ≤ f(low), f(high): shrinks until f′ ≤ 0 at low and f′ ≥ 0 at high.
  void shrink(Place& low, Place middle, Place& high) const {
    for (int i = 0; i < kMostIterations && !(low.f.first <= 0 && high.f.first >= 0); ++i) {
      Place& end = low.f.first > 0 ? low : high;
      Place& other = low.f.first > 0 ? high : low;
      const Place between = at(end.x + 0.5 * (middle.x - end.x));
      if (between.f.value >= middle.f.value) {
        end = between;
      } else {
        other = middle;
        middle = between;
      }
    }
  }

  // f′(low) ≤ 0 ≤ f′(high).
  [[nodiscard]] double zero_of_slope(Place low, Place high) const {
    const bool low_is_nearer = std::abs(low.f.first) < std::abs(high.f.first);
    Place now = low_is_nearer ? low : high, before = low_is_nearer ? high : low;
    const double rounding = kPlaceRounding * (high.x - low.x);
    double step = high.x - low.x;
    for (int i = 0; i < kMostIterations && now.f.first != 0; ++i) {
      const double last = std::abs(step);
      step = -now.f.first / (now.f.second > 0 ? now.f.second : (now.f.first - before.f.first) / (now.x - before.x));
      double next = now.x + step;
      // Outside, not a number, or not half as short as the last one: the middle.
      if (!(next > low.x && next < high.x && std::abs(step) < 0.5 * last)) {
        next = low.x + 0.5 * (high.x - low.x);
        step = next - now.x;
      }
      if (std::abs(step) <= std::max(rounding, kPlaceRounding * std::abs(next))) return next;
      before = now;
      now = at(next);
      (now.f.first < 0 ? low : high) = now;
    }
    return now.x;
  }

 private:
  const std::function<Slope(double)>& f_;
  const char* what_;
};

}  // namespace

double sample_place(const SearchRange& range, int k) {
  return range.low + k * ((range.high - range.low) / range.samples);
}

double least_place_near(const std::function<Slope(double)>& f, const SearchRange& range, int best, const char* what) {
  const Valley valley(f, what);
  const bool first = !range.joined && best == 0, last = !range.joined && best == range.samples;
  const Place middle = valley.at(sample_place(range, best));
  // At an end of the range, the end itself where the slope leads out.
  if (first && middle.f.first >= 0) return range.low;
  if (last && middle.f.first <= 0) return range.high;
  Place low = first ? middle : valley.at(sample_place(range, best - 1));
  Place high = last ? middle : valley.at(sample_place(range, best + 1));
  valley.shrink(low, middle, high);
  return valley.zero_of_slope(low, high);
}

double least_place(const std::function<Slope(double)>& f, const SearchRange& range, const char* what) {
  const Valley valley(f, what);
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < sample_count(range); ++k) {
    const double value = valley.at(sample_place(range, k)).f.value;
    if (value < least) {
      least = value;
      best = k;
    }
  }
  return least_place_near(f, range, best, what);
}

}  // namespace locdyn::detail
