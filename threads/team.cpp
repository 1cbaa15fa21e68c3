#include <locdyn/threads/team.hpp>

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace locdyn::detail {
namespace {

// Chunks of a loop that are left: next … end − 1. In a cache line of its own.
struct alignas(64) Share {
  std::int64_t next, end;
};
constexpr std::int64_t kMostShares = 64;

}  // namespace

void call_on_team(int threads, TeamWork work) {
#pragma omp parallel num_threads(threads)
  work.call(work.data, omp_get_thread_num(), omp_get_num_threads());
}

void wait_for_team() {
#pragma omp barrier
}

void call_by_chunks(std::int64_t count, int threads, std::int64_t chunk, TeamWork work) {
  const std::int64_t chunks = (count + chunk - 1) / chunk, shares = std::min<std::int64_t>(threads, kMostShares);
  std::array<Share, kMostShares> share;
  for (std::int64_t s = 0; s < shares; ++s) share[s] = {chunks * s / shares, chunks * (s + 1) / shares};
#pragma omp parallel num_threads(threads)
  for (std::int64_t s = 0; s < shares; ++s) {
    Share& from = share[(omp_get_thread_num() + s) % shares];
    const std::atomic_ref next(from.next);
    for (std::int64_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < from.end;) {
      work.call(work.data, k * chunk, std::min(count, (k + 1) * chunk));
    }
  }
}

void call_one_by_one(std::int64_t count, int threads, TeamWork work) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (std::int64_t k = 0; k < count; ++k) work.call(work.data, k, k + 1);
}

int allow_teams(int levels) {
  const int before = omp_get_max_active_levels();
  omp_set_max_active_levels(levels);
  return before;
}

}  // namespace locdyn::detail
