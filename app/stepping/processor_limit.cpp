#include "processor_limit.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cmath>

namespace locdyn::app {

void limit_processor_time(double seconds) {
  if (!(seconds > 0)) return;
  struct sigaction action = {};
  action.sa_handler = [](int) { ::_exit(kOutOfTime); };
  ::sigaction(SIGXCPU, &action, nullptr);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGXCPU;
  timer_t timer = {};
  if (::timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) return;  // the reader's own patience is left
  const double whole = std::floor(seconds);
  itimerspec when = {};
  when.it_value.tv_sec = static_cast<time_t>(whole);
  when.it_value.tv_nsec = static_cast<long>((seconds - whole) * 1e9) + 1;
  if (when.it_value.tv_nsec > 999'999'999) when.it_value.tv_nsec = 999'999'999;
  ::timer_settime(timer, 0, &when, nullptr);
}

}  // namespace locdyn::app
