#pragma once
// Loops whose passes are independent, on several threads.

#include <cstdint>
#include <exception>
#include <iterator>
#include <mutex>
#include <span>

#include <locdyn/threads/team.hpp>

namespace locdyn::detail {

/// What passes of a loop throw, the least of them.
class FirstFault {
 public:
  /// Calls work(i) for i = begin … end − 1, all of them, whatever one throws.
  template <class Work>
  void guard(std::int64_t begin, std::int64_t end, const Work& work) {
    for (std::int64_t i = begin; i < end; ++i) {
      try {  // around all that are left: a pass that throws nothing costs no more than in a plain loop
        for (; i < end; ++i) work(i);
      } catch (...) {
        note(i);
      }
    }
  }
  void hand_on() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  // In a handler.
  [[gnu::cold]] void note(std::int64_t i) {
    const std::lock_guard alone(mutex_);
    if (fault_ && i >= pass_) return;
    pass_ = i;
    fault_ = std::current_exception();
  }

  std::mutex mutex_;
  std::int64_t pass_ = 0;
  std::exception_ptr fault_;
};

/// Calls run(begin, end) for runs of `chunk` of 0 … count − 1 at a time, on so many threads; on one for all at once,
/// since even a team of one costs some 0.5 µs to call together. `run` throws nothing.
template <class Run>
void parallel_runs(std::int64_t count, int threads, std::int64_t chunk, const Run& run) {
  if (threads <= 1 || count <= chunk) return run(std::int64_t{0}, count);
  on_team_by_chunks(count, threads, chunk, run);
}

/// The same by single passes: calls work(i) for i = 0 … count − 1. `work` throws nothing.
template <class Work>
void parallel_for(std::int64_t count, int threads, std::int64_t chunk, const Work& work) {
  parallel_runs(count, threads, chunk, [&](std::int64_t i, std::int64_t end) {
    for (; i < end; ++i) work(i);
  });
}

/// The same for work that may throw: of several faults that of the least i is handed on, whatever the threads.
template <class Work>
void in_parallel(std::int64_t count, int threads, std::int64_t chunk, const Work& work) {
  FirstFault fault;
  parallel_runs(count, threads, chunk, [&](std::int64_t begin, std::int64_t end) { fault.guard(begin, end, work); });
  fault.hand_on();
}

/// The same, i in the order given, begun one by one, each on the thread that is free first.
template <class Work>
void in_parallel(std::span<const std::int64_t> order, int threads, const Work& work) {
  FirstFault fault;
  const auto run = [&](std::int64_t k, std::int64_t end) {
    for (; k < end; ++k) fault.guard(order[k], order[k] + 1, work);
  };
  threads <= 1 || order.size() <= 1 ? run(0, std::ssize(order)) : on_team_one_by_one(std::ssize(order), threads, run);
  fault.hand_on();
}

}  // namespace locdyn::detail
