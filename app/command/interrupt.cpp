#include "interrupt.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace locdyn::app {
namespace {

std::atomic<bool> asked = false;
int guards = 0;
const char* promised = "";
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes to it");

// What POSIX lets a signal handler do.
void keep_wish(int) {
  asked = true;
  if (*promised != '\0' && ::isatty(STDERR_FILENO) == 1) {
    const int error = errno;
    [[maybe_unused]] const auto told = ::write(STDERR_FILENO, promised, std::strlen(promised));
    errno = error;
  }
}

}  // namespace

InterruptGuard::InterruptGuard(const char* promise) {
  if (guards++ > 0) return;
  asked = false;
  promised = promise;
  struct sigaction action = {};
  action.sa_handler = keep_wish;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigaction(SIGINT, &action, &interrupt_before_);
  ::sigaction(SIGTERM, &action, &terminate_before_);
}

InterruptGuard::~InterruptGuard() {
  if (--guards > 0) return;
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  ::sigaction(SIGTERM, &terminate_before_, nullptr);
}

bool InterruptGuard::interrupted() noexcept {
  return asked;
}

const std::atomic<bool>& InterruptGuard::flag() noexcept {
  return asked;
}

}  // namespace locdyn::app
