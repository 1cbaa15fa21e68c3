#include "processor_limit.hpp"

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <thread>

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
void limit_processor_time(double seconds) {
  if (!(seconds > 0)) return;
  const double end = processor_seconds() + seconds;
  std::thread([end] {
    while (processor_seconds() < end) std::this_thread::sleep_for(kLook);
    ::_exit(kOutOfTime);
  }).detach();
}

}  // namespace locdyn::app
