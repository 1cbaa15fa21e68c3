#include <locdyn/threads/team.hpp>

#include <omp.h>

#include <algorithm>

namespace locdyn::detail {

void call_on_team(int threads, TeamWork work) {
#pragma omp parallel num_threads(threads)
  work.call(work.data, omp_get_thread_num(), omp_get_num_threads());
}

void wait_for_team() {
#pragma omp barrier
}

void call_by_chunks(std::int64_t count, int threads, std::int64_t chunk, TeamWork work) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (std::int64_t k = 0; k < (count + chunk - 1) / chunk; ++k) {
    work.call(work.data, k * chunk, std::min(count, (k + 1) * chunk));
  }
}

int allow_teams(int levels) {
  const int before = omp_get_max_active_levels();
  omp_set_max_active_levels(levels);
  return before;
}

}  // namespace locdyn::detail
