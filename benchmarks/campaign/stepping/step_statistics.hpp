#pragma once
// What the steps of a run cost, in a few numbers: quantiles by nearest rank, and how much the dearest steps weigh.

#include <cstddef>
#include <span>
#include <vector>

namespace locdyn::app {

/// The k-th smallest of n values, k = ⌈share n⌉ and at least 1 (nearest rank: always one of the values); not-a-number
/// where there is none. `share` from 0 to 1.
[[nodiscard]] double quantile(std::vector<double> values, double share);

struct StepStatistics {
  std::size_t steps = 0;
  double total = 0;                                  ///< [s]
  double median = 0, p90 = 0, p99 = 0, largest = 0;  ///< [s]; not-a-number without steps
  double dearest_tenth = 0;                          ///< share of the total that the ⌈n/10⌉ dearest steps take
};
[[nodiscard]] StepStatistics step_statistics(std::span<const double> seconds);

}  // namespace locdyn::app
