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
  template <class Work>
  void guard(std::int64_t i, const Work& work) {
    try {
      work(i);
    } catch (...) {
      const std::lock_guard alone(mutex_);
      if (!fault_ || i < pass_) {
        pass_ = i;
        fault_ = std::current_exception();
      }
    }
  }
  void hand_on() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  std::mutex mutex_;
  std::int64_t pass_ = 0;
  std::exception_ptr fault_;
};

/// Calls work(i) for i = 0 … count − 1, runs of `chunk` at a time, on so many threads; on one in a plain loop, since
/// even a team of one costs some 0.5 µs to call together. `work` throws nothing.
template <class Work>
void parallel_for(std::int64_t count, int threads, std::int64_t chunk, const Work& work) {
  if (threads <= 1 || count <= chunk) {
    for (std::int64_t i = 0; i < count; ++i) work(i);
    return;
  }
  on_team_by_chunks(count, threads, chunk, [&](std::int64_t i, std::int64_t end) {
    for (; i < end; ++i) work(i);
  });
}

/// The same for work that may throw: of several faults that of the least i is handed on, whatever the threads.
template <class Work>
void in_parallel(std::int64_t count, int threads, std::int64_t chunk, const Work& work) {
  FirstFault fault;
  parallel_for(count, threads, chunk, [&](std::int64_t i) { fault.guard(i, work); });
  fault.hand_on();
}

/// The same, i in the order given, begun one by one.
template <class Work>
void in_parallel(std::span<const std::int64_t> order, int threads, const Work& work) {
  FirstFault fault;
  parallel_for(std::ssize(order), threads, 1, [&](std::int64_t k) { fault.guard(order[k], work); });
  fault.hand_on();
}

}  // namespace locdyn::detail
