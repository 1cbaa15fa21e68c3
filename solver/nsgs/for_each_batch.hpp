#pragma once
// The batches of a sweep's schedule on several threads.

#include <cstdint>

#include <locdyn/solver/nsgs/sweep_schedule.hpp>
#include <locdyn/threads/team.hpp>

namespace locdyn::detail {

/// The first batch of the share of thread `own` of `team`: the first whose middle lies in its part of the constraints
/// of batches first … last − 1.
inline std::int64_t share_begins(const SweepSchedule& schedule, std::int64_t first, std::int64_t last, std::int64_t own,
                                 std::int64_t team) {
  const std::int64_t begin = schedule.first[first], count = schedule.first[last] - begin;
  const auto before = [&](std::int64_t batch) {
    const std::int64_t twice_middle = std::int64_t{schedule.first[batch]} + schedule.first[batch + 1] - 2 * begin;
    return twice_middle * team < 2 * own * count;
  };
  while (last > first) {
    const std::int64_t half = first + (last - first) / 2;
    before(half) ? first = half + 1 : last = half;
  }
  return first;
}

/// Calls `work(batch)` colour by colour, backwards with the colours and batches in reverse; those of one colour on so
/// many threads, the overflow one after the other. `work` throws nothing.
template <class Work>
void for_each_batch(const SweepSchedule& schedule, SweepDirection direction, int threads, const Work& work) {
  const auto colours = static_cast<std::int64_t>(schedule.colour_count());
  const bool forward = direction == SweepDirection::forward;
  if (threads == 1) {  // even a team of one costs some 0.5 µs to call together, as much as a sweep of a few contacts
    const std::int64_t batches = schedule.batch_count();
    for (std::int64_t k = 0; k < batches; ++k) work(static_cast<Index>(forward ? k : batches - 1 - k));
    return;
  }
  // One team for all colours: a colour takes some 50 µs, and to call threads together anew for each would take a good
  // part of that.
  on_team(threads, [&](std::int64_t own, std::int64_t team) {
    for (std::int64_t i = 0; i < colours; ++i) {
      const auto colour = static_cast<Index>(forward ? i : colours - 1 - i);
      const std::int64_t first = schedule.colour[colour], last = schedule.colour[colour + 1];
      if (colour < schedule.parallel) {
        // Each thread the same batches in every sweep, since they lie in its cache, and about as many constraints.
        const std::int64_t from = share_begins(schedule, first, last, own, team);
        const std::int64_t to = share_begins(schedule, first, last, own + 1, team);
        for (std::int64_t k = from; k < to; ++k) work(static_cast<Index>(forward ? k : from + to - 1 - k));
      } else if (own == 0) {
        for (std::int64_t k = first; k < last; ++k) work(static_cast<Index>(forward ? k : first + last - 1 - k));
      }
      if (i + 1 < colours) wait_for_team();  // behind the last the team waits for its own end
    }
  });
}

}  // namespace locdyn::detail
