#include <locdyn/solver/nsgs/dissection.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <locdyn/ldy/group_levels.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

constexpr std::int64_t kRangesAtOnce = 512;  // for one thread

// Seams of fewer constraints are joined: the 36 contacts between two layers of three planks act on six bodies and fill
// no four, those of two seams do. Ten sweeps of a tower of 1050 contacts take 0.97 of the time, on two threads as well;
// with 32 as long as without, with 128 as with 64.
constexpr std::size_t kLeastSeam = 64;

// By level: the domain that it belongs to. Each has two levels or more, and about `least` constraints.
std::vector<Index> domains_of(std::span<const Index> constraints_by_level, Index least) {
  std::vector<Index> domain;
  Index in_domain = 0, levels = 0, open = 0, current = 0;
  for (const Index constraints : constraints_by_level) open += constraints;
  for (const Index constraints : constraints_by_level) {
    if (levels >= 2 && in_domain >= least && open >= least) {
      ++current;
      in_domain = levels = 0;
    }
    domain.push_back(current);
    in_domain += constraints;
    open -= constraints;
    ++levels;
  }
  // The last may be left with a single level.
  if (current > 0 && levels < 2) {
    for (Index& d : domain) d = std::min(d, current - 1);
  }
  return domain;
}

// Those that follow a small one go to it until it is none.
void join_small(std::span<std::vector<ConstraintId>> seams) {
  std::size_t to = 0;
  for (std::size_t seam = 1; seam < seams.size(); ++seam) {
    if (seams[to].size() >= kLeastSeam) {
      to = seam;
      continue;
    }
    seams[to].insert(seams[to].end(), seams[seam].begin(), seams[seam].end());
    seams[seam].clear();
  }
}

}  // namespace

SweepSchedule dissected_schedule(const LocalDynamics& ldy, Index least, int threads) {
  return dissected_schedule_of(ldy, ldy.sequence(), least, threads);
}

SweepSchedule dissected_schedule_of(const LocalDynamics& ldy, std::vector<ConstraintId> sequence, Index least,
                                    int threads) {
  if (ldy.factor() == nullptr) {
    throw std::invalid_argument("dissection: expected a graph that knows its factor, found one that does not");
  }
  const DelassusFactor& factor = *ldy.factor();
  std::vector<Index> rows;  // by constraint: its first
  rows.reserve(sequence.size());
  for (const ConstraintId id : sequence) {
    rows.push_back(static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data()));
  }
  // By body: those that the factor knows, else of the constraints listed alone.
  const std::vector<Index> of_these = factor.level.empty() ? group_levels(factor, rows) : std::vector<Index>();
  const std::span<const Index> level = factor.level.empty() ? std::span<const Index>(of_these) : factor.level;

  // Of each constraint the least and the largest level, from the least of all on; those that act on nothing come first.
  struct Range {
    Index low = kNone, high = 0;
  };
  const auto count = static_cast<Index>(sequence.size());
  std::vector<Range> range(count);
  parallel_for(count, threads, kRangesAtOnce, [&](std::int64_t i) {
    for (const Coupling& c : factor.couplings(rows[i])) {
      range[i].low = std::min(range[i].low, level[c.body]);
      range[i].high = std::max(range[i].high, level[c.body]);
    }
  });
  Range all;
  for (const Range& of_one : range) {
    all.low = std::min(all.low, of_one.low);
    all.high = std::max(all.high, of_one.high);
  }
  if (all.low == kNone) all.low = 0;
  std::vector<Index> by_level(all.high - all.low + 1, 0);
  for (auto& [low, high] : range) {
    const bool acts = low != kNone;
    low = acts ? low - all.low : 0;
    high = acts ? high - all.low : 0;
    ++by_level[low];
  }
  const std::vector<Index> domain = domains_of(by_level, least);
  const Index domains = domain.back() + 1;
  if (domains < 2) return grouped_schedule_of(ldy, std::move(sequence));

  std::vector<std::vector<ConstraintId>> batches(2 * domains - 1);  // domains, then seams
  for (Index i = 0; i < count; ++i) {
    const Index low = domain[range[i].low], high = domain[range[i].high];
    batches[low == high ? low : domains + low].push_back(sequence[i]);
  }
  join_small(std::span(batches).subspan(domains));
  SweepSchedule schedule{.sequence = {}, .first = {0}, .colour = {0}, .parallel = 2};
  in_parallel(std::ssize(batches), threads, 1, [&](std::int64_t batch) {
    batches[batch] = grouped_schedule_of(ldy, std::move(batches[batch])).sequence;
  });
  for (Index batch = 0; batch < batches.size(); ++batch) {
    if (batch == domains) schedule.colour.push_back(schedule.batch_count());
    if (batches[batch].empty()) continue;
    schedule.sequence.insert(schedule.sequence.end(), batches[batch].begin(), batches[batch].end());
    schedule.first.push_back(static_cast<Index>(schedule.sequence.size()));
  }
  schedule.colour.push_back(schedule.batch_count());
  return schedule;
}

}  // namespace locdyn::detail
