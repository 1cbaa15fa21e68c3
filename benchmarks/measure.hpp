#pragma once
// Times several pieces of work in turn, round after round, and keeps the best time of each: what disturbs the machine
// then disturbs all of them, and a ratio of two of them means something.

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>

namespace locdyn::benchmark {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Keeps the compiler from dropping or hoisting what produced `value`.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// The best time in seconds of each piece of work over `rounds` rounds of `repeats` calls.
template <std::size_t n>
std::array<double, n> best_times(const std::array<std::function<void()>, n>& work, int rounds, int repeats) {
  std::array<double, n> best;
  best.fill(std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < n; ++k) {
      const double start = seconds_now();
      for (int repeat = 0; repeat < repeats; ++repeat) work[k]();
      best[k] = std::min(best[k], (seconds_now() - start) / repeats);
    }
  }
  return best;
}

}  // namespace locdyn::benchmark
