#include "step_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace locdyn::app {
namespace {

double share_of_dearest(std::vector<double> seconds, double total) {
  const auto count = static_cast<std::ptrdiff_t>((seconds.size() + 9) / 10);
  std::partial_sort(seconds.begin(), seconds.begin() + count, seconds.end(), std::greater<>());
  return std::accumulate(seconds.begin(), seconds.begin() + count, 0.0) / total;
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  // A share such as 0.9 is a little more or less than it says: what is an integer but for that is that integer.
  const double rank = std::ceil(share * static_cast<double>(values.size()) * (1 - 1e-12));
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

StepStatistics step_statistics(std::span<const double> seconds) {
  const std::vector<double> all(seconds.begin(), seconds.end());
  StepStatistics found;
  found.steps = all.size();
  found.total = std::accumulate(all.begin(), all.end(), 0.0);
  found.median = quantile(all, 0.5);
  found.p90 = quantile(all, 0.9);
  found.p99 = quantile(all, 0.99);
  found.largest = quantile(all, 1);
  found.dearest_tenth = found.total > 0 ? share_of_dearest(all, found.total) : std::numeric_limits<double>::quiet_NaN();
  return found;
}

}  // namespace locdyn::app
