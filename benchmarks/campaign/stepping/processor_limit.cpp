#include "processor_limit.hpp"

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace locdyn::app {
namespace {

constexpr auto kLook = std::chrono::milliseconds(20);

double processor_seconds() {
  timespec moment = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &moment);
  return static_cast<double>(moment.tv_sec) + 1e-9 * static_cast<double>(moment.tv_nsec);
}

}  // namespace

// A thread that looks at the clock now and then: with a timer on that clock, some kernels count it in ticks of
// milliseconds, and steps take no time at all.
ProcessorLimit::ProcessorLimit(double seconds, std::function<void()> before_end) {
  if (!(seconds > 0)) return;
  const double end = processor_seconds() + seconds;
  watch_ = std::jthread([end, before_end = std::move(before_end)](const std::stop_token& lifted) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    while (processor_seconds() < end) {
      never.wait_for(lock, lifted, kLook, [] { return false; });
      if (lifted.stop_requested()) return;
    }
    before_end();
    ::_exit(kOutOfTime);
  });
}

}  // namespace locdyn::app
