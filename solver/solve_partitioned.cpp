#include <locdyn/solver/solve_partitioned.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

// Where the shares are met to the last bit, their sum still meets the tolerance.
constexpr double kRoundingOfShares = 1 - 1e-12;

// What `part` may keep of the whole's tolerance, by its own measure.
double share_of_tolerance(const LocalDynamics& part, std::size_t constraints, double whole_norm,
                          const StopOptions& stop) {
  const double share = std::sqrt(static_cast<double>(part.constraint_count()) / static_cast<double>(constraints));
  const double norms = stop.measure == Measure::absolute ? 1 : whole_norm / load_norm(part);
  return kRoundingOfShares * stop.tolerance * share * norms;
}

// The islands as they are taken up: small ones first, or where several threads share them, large ones.
std::vector<std::int64_t> order_of(const Islands& islands, bool large_first) {
  std::vector<std::int64_t> order(islands.count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const auto size_a = islands.island(static_cast<Index>(a)).size(),
               size_b = islands.island(static_cast<Index>(b)).size();
    return large_first ? size_a > size_b : size_a < size_b;
  });
  return order;
}

}  // namespace

SolveReport solve_partitioned(LocalDynamics& ldy, const Islands& islands, const StopOptions& stop,
                              const std::function<SolveReport(LocalDynamics&, const StopOptions&)>& solve) {
  IterateWatch watch(ldy, stop, "auto");
  watch.judge(0);
  const auto count = static_cast<std::int64_t>(islands.count);
  std::vector<std::span<const ConstraintId>> members;
  for (Index i = 0; i < islands.count; ++i) members.push_back(islands.island(i));
  std::vector<LocalDynamics> parts = ldy.extract(members);
  std::vector<SolveReport> reports(parts.size());
  const bool together = stop.threads > 1 && count > 1;
  const std::vector<std::int64_t> order = order_of(islands, together);
  in_parallel(order, stop.threads, [&](std::int64_t i) {
    StopOptions own = limits_left(stop, 0, watch.seconds());
    own.threads = 1;
    own.tolerance = share_of_tolerance(parts[i], ldy.constraint_count(), watch.load_norm(), stop);
    reports[i] = solve(parts[i], own);
  });

  SideBySide all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ldy.take_back(parts[i], members[i]);
    all.add(reports[i]);
  }
  watch.report().add_cost(all);
  watch.report().solver = reports[order[together ? 0 : count - 1]].solver;  // of the largest island
  watch.judge(all.iterations);
  if (all.unconverged == 0) {
    watch.end(SolveStatus::stalled, "rounding of the islands' residuals");
  } else {
    watch.end(all.status, std::to_string(all.unconverged) + " of " + std::to_string(count) + " islands: " + all.reason);
  }
  return watch.finish(all.iterations);
}

}  // namespace locdyn::detail
