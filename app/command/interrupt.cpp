#include "interrupt.hpp"

namespace locdyn::app {
namespace {

std::atomic<bool> asked = false;
int guards = 0;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes to it");

}  // namespace

InterruptGuard::InterruptGuard() {
  if (guards++ > 0) return;
  asked = false;
  struct sigaction action = {};
  action.sa_handler = [](int) { asked = true; };
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
