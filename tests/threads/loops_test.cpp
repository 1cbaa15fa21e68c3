// Loops on several threads: every pass once, and none is left to a thread that is busy.

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <locdyn/threads/loops.hpp>

using namespace locdyn;
using namespace locdyn::detail;

TEST_CASE("loops: every pass runs once, whatever the threads and the chunk") {
  for (const std::int64_t count : {0, 1, 7, 64, 1000}) {
    for (const int threads : {1, 2, 3, 8, 100}) {
      for (const std::int64_t chunk : {1, 3, 64, 5000}) {
        std::vector<std::atomic<int>> passes(count);
        parallel_for(count, threads, chunk, [&](std::int64_t i) { ++passes[i]; });
        for (std::int64_t i = 0; i < count; ++i) CHECK(passes[i] == 1);
      }
    }
  }
}

TEST_CASE("loops: in an order given every pass runs once, and one thread keeps to it") {
  std::vector<std::int64_t> order(100);
  std::iota(order.rbegin(), order.rend(), 0);
  for (const int threads : {1, 2, 8}) {
    std::vector<std::atomic<int>> passes(100);
    std::vector<std::int64_t> alone;
    in_parallel(order, threads, [&](std::int64_t i) {
      ++passes[i];
      if (threads == 1) alone.push_back(i);
    });
    for (const std::atomic<int>& of_one : passes) CHECK(of_one == 1);
    if (threads == 1) CHECK(alone == order);
  }
}

TEST_CASE("loops: what a busy thread has not begun others take") {
  constexpr std::int64_t kCount = 100;
  std::atomic<std::int64_t> done = 0;
  std::atomic<int> team = 1;
  on_team(2, [&](std::int64_t, std::int64_t size) { team = static_cast<int>(size); });
  std::int64_t done_meanwhile = 0;
  parallel_for(kCount, 2, 1, [&](std::int64_t i) {
    if (i == 0) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
      while (team == 2 && done < kCount - 1 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      done_meanwhile = done;
    }
    ++done;
  });
  CHECK(done == kCount);
  CHECK(done_meanwhile == (team == 2 ? kCount - 1 : 0));
}

TEST_CASE("loops: teams have one thread after one that made its caller wait for long, while that is watched") {
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  Milliseconds waited{};  // by the caller of the last team, at most
  const auto team_size = [&](Milliseconds late = {}) {
    std::atomic<std::int64_t> size = 0;
    Clock::time_point done;
    on_team(2, [&](std::int64_t own, std::int64_t team) {
      if (own == 1) std::this_thread::sleep_for(late);
      size = team;
      if (own == 0) done = Clock::now();
    });
    waited = Clock::now() - done;
    return size.load();
  };
  const std::int64_t two = team_size();  // 1 where no second thread is given
  constexpr Milliseconds kLate(20);
  team_size(kLate);
  CHECK(team_size() == two);
  // A busy machine makes a caller wait, and a late thread come before a caller that does not run: so many attempts.
  constexpr int kAttempts = 200;
  bool in_time = false;
  for (int k = 0; k < kAttempts && !in_time; ++k) {
    const TeamWatch watch;
    CHECK(team_size() == two);
    in_time = waited <= Milliseconds(1);
    if (in_time) CHECK(team_size(kLate) == two);
  }
  CHECK(in_time);
  {
    const TeamWatch watch;
    for (int k = 0; k < kAttempts && team_size() == 2; ++k) team_size(kLate);
    CHECK(team_size() == 1);
    { const TeamWatch within; }
    CHECK(team_size() == 1);
    std::atomic<int> passes = 0;
    const auto caller = std::this_thread::get_id();
    parallel_for(100, 2, 1, [&](std::int64_t) { passes += std::this_thread::get_id() == caller; });
    CHECK(passes == 100);
    // Within a loop that others share such a team waits for itself alone.
    passes = 0;
    on_team_one_by_one(8, 2, [&](std::int64_t, std::int64_t) {
      on_team(2, [&](std::int64_t own, std::int64_t) {
        wait_for_team();
        passes += own == 0;
      });
    });
    CHECK(passes == 8);
  }
  CHECK(team_size() == two);
}

TEST_CASE("loops: of several faults that of the least pass is handed on, and all passes run") {
  for (const int threads : {1, 2, 8}) {
    std::atomic<int> passes = 0;
    const auto fail = [&](std::int64_t i) {
      ++passes;
      if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
    };
    CHECK_THROWS_WITH_AS(in_parallel(200, threads, 4, fail), "7", std::runtime_error);
    CHECK(passes == 200);
  }
}
