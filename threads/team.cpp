#include <locdyn/threads/team.hpp>

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <utility>

namespace locdyn::detail {
namespace {

// Chunks of a loop that are left: next … end − 1. In a cache line of its own.
struct alignas(64) Share {
  std::int64_t next, end;
};
constexpr std::int64_t kMostShares = 64;

// Of the calling thread: is it watched, has it waited for long, and how long has it waited in the team at work [s]?
thread_local bool watched = false, crowded = false;
thread_local double waited = 0;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A team at work, as the thread that called it together sees it.
class Call {
 public:
  // That thread has done its part.
  void done() {
    if (watched) done_ = now();
  }
  ~Call() {
    if (!watched) return;
    const double waits = waited + now() - done_, works = done_ - began_ - waited;
    crowded = crowded || waits > std::max(kLongWait, works);
    waited = 0;
  }

 private:
  static constexpr double kLongWait = 1e-3;  // a scheduler's slice is 3 ms and more, the wait for a thread that runs µs
  double began_ = watched ? now() : 0, done_ = 0;
};

}  // namespace

TeamWatch::TeamWatch() noexcept : within_(std::exchange(watched, true)) {}
TeamWatch::~TeamWatch() {
  if (!within_) watched = crowded = false;
}

void call_on_team(int threads, TeamWork work) {
  Call call;
#pragma omp parallel num_threads(crowded ? 1 : threads)
  {
    work.call(work.data, omp_get_thread_num(), omp_get_num_threads());
    if (omp_get_thread_num() == 0) call.done();
  }
}

void wait_for_team() {
  const double began = watched ? now() : 0;
#pragma omp barrier
  if (watched) waited += now() - began;
}

void call_by_chunks(std::int64_t count, int threads, std::int64_t chunk, TeamWork work) {
  Call call;
  const std::int64_t chunks = (count + chunk - 1) / chunk;
  const std::int64_t shares = std::min<std::int64_t>(threads, kMostShares);
  std::array<Share, kMostShares> share;
  for (std::int64_t s = 0; s < shares; ++s) share[s] = {chunks * s / shares, chunks * (s + 1) / shares};
#pragma omp parallel num_threads(crowded ? 1 : threads)
  {
    for (std::int64_t s = 0; s < shares; ++s) {
      Share& from = share[(omp_get_thread_num() + s) % shares];
      const std::atomic_ref next(from.next);
      for (std::int64_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < from.end;) {
        work.call(work.data, k * chunk, std::min(count, (k + 1) * chunk));
      }
    }
    if (omp_get_thread_num() == 0) call.done();
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
