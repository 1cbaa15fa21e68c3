#pragma once
// The batches of a sweep's schedule on several threads. For sources that are compiled with OpenMP.

#include <cstdint>

#include <locdyn/solver/nsgs/sweep_schedule.hpp>

namespace locdyn {

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
#pragma omp parallel num_threads(threads)
  for (std::int64_t i = 0; i < colours; ++i) {
    const auto colour = static_cast<Index>(forward ? i : colours - 1 - i);
    const std::int64_t first = schedule.colour[colour], last = schedule.colour[colour + 1];
    if (colour < schedule.parallel) {
#pragma omp for schedule(static)
      for (std::int64_t k = first; k < last; ++k) work(static_cast<Index>(forward ? k : first + last - 1 - k));
    } else {
#pragma omp single
      for (std::int64_t k = first; k < last; ++k) work(static_cast<Index>(forward ? k : first + last - 1 - k));
    }
  }
}

}  // namespace locdyn
