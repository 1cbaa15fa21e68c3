#pragma once
// A quantity over time, linear between given moments and constant before the first and after the last. A step takes its
// mean, so that what a step adds up to does not depend on where the moments lie in it.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace locdyn {

/// `T` is a number or a vector of fixed size. Without `times` there is one value, for all time.
template <class T>
struct TimeSeries {
  std::vector<double> times;  ///< ascending [s]
  std::vector<T> values;      ///< one for each time; at least one

  /// One value for all times?
  [[nodiscard]] bool constant() const noexcept { return times.empty(); }

  /// The value at t. Cost: O(log n).
  [[nodiscard]] T at(double t) const {
    if (constant() || t <= times.front()) return values.front();
    if (t >= times.back()) return values.back();
    const std::size_t next = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin());
    const double share = (t - times[next - 1]) / (times[next] - times[next - 1]);
    return values[next - 1] + share * (values[next] - values[next - 1]);
  }

  /// The slope at t, at a corner that of the piece that comes; 0 where it is constant. Cost: O(log n).
  [[nodiscard]] T slope(double t) const {
    if (constant() || t < times.front() || t >= times.back()) return 0 * values.front();
    const std::size_t next = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin());
    return (values[next] - values[next - 1]) / (times[next] - times[next - 1]);
  }

  /// 1/h ∫ value over [t, t + h], exact to rounding: each linear piece by its own trapezium; for h = 0 the value at t.
  [[nodiscard]] T mean(double t, double h) const {
    if (constant()) return values.front();
    if (h == 0) return at(t);
    const double end = t + h;
    double from = t;
    T from_value = at(t);
    T sum = 0 * values.front();
    for (auto knot = std::upper_bound(times.begin(), times.end(), t); knot != times.end() && *knot < end; ++knot) {
      const T& value = values[static_cast<std::size_t>(knot - times.begin())];
      sum += 0.5 * (*knot - from) * (from_value + value);
      from = *knot;
      from_value = value;
    }
    sum += 0.5 * (end - from) * (from_value + at(end));
    return sum / h;
  }
};

}  // namespace locdyn
