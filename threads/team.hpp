#pragma once
// Threads that work together. OpenMP is in team.cpp alone: a source that is compiled with it costs GCC a tenth more and
// Clang twice as much (twelve sources of the solver: 54 → 61 s, 32 → 67 s), whether it has a loop on threads or not.

#include <cstdint>

namespace locdyn::detail {

/// Those `call` with `data`: how a template's work gets into team.cpp.
struct TeamWork {
  void (*call)(const void* data, std::int64_t first, std::int64_t second);
  const void* data;
};
void call_on_team(int threads, TeamWork work);
void call_by_chunks(std::int64_t count, int threads, std::int64_t chunk, TeamWork work);
void call_one_by_one(std::int64_t count, int threads, TeamWork work);

template <class Work>
[[nodiscard]] TeamWork team_work(const Work& work) noexcept {
  return {[](const void* data, std::int64_t first, std::int64_t second) {
            (*static_cast<const Work*>(data))(first, second);
          },
          &work};
}

/// Calls share(own, team) once on each of `team` threads, own = 0 … team − 1; team ≤ threads. `share` throws nothing.
/// Cost: some 0.5 µs, of one thread as well.
template <class Share>
void on_team(int threads, const Share& share) {
  call_on_team(threads, team_work(share));
}

/// Within a share: goes on where all threads of the team have come here.
void wait_for_team();

/// Calls run(begin, end) for consecutive runs of `chunk` of 0 … count − 1. Each thread begins with those of its own
/// share, the same in every call of as many, since they lie in its cache, and then takes what others have left: a pile
/// of 2000 on two threads takes 0.93 of the time at 1e-3 (detection 0.86) that it takes where each run goes to whoever
/// is free. `run` throws nothing.
template <class Run>
void on_team_by_chunks(std::int64_t count, int threads, std::int64_t chunk, const Run& run) {
  call_by_chunks(count, threads, chunk, team_work(run));
}

/// Calls run(k, k + 1) for k = 0 … count − 1, begun in this order, each on the thread that is free first. `run` throws
/// nothing.
template <class Run>
void on_team_one_by_one(std::int64_t count, int threads, const Run& run) {
  call_one_by_one(count, threads, team_work(run));
}

/// While one lives, teams that the calling thread calls together by `on_team` and by chunks have one thread, from the
/// first on for which it waited longer than 1 ms and than it worked. Beside a process that takes the other cores each
/// wait may take a slice of the scheduler's, and a step has hundreds: steps tried on two threads took up to 127 ms
/// beside one, a step on one 2. One within another changes nothing.
class TeamWatch {
 public:
  TeamWatch() noexcept;
  ~TeamWatch();
  TeamWatch(const TeamWatch&) = delete;
  TeamWatch& operator=(const TeamWatch&) = delete;

 private:
  bool within_;
};

/// From now on teams that the calling thread calls together, others' too, may lie so many inside each other: with 0
/// each has one thread. Returns how many might before.
int allow_teams(int levels);

}  // namespace locdyn::detail
