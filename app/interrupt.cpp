#include "interrupt.hpp"

namespace locdyn::app {
namespace {

volatile std::sig_atomic_t asked = 0;  // a signal handler has nothing else to write to

}  // namespace

InterruptGuard::InterruptGuard() {
  asked = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { asked = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigaction(SIGINT, &action, &interrupt_before_);
  ::sigaction(SIGTERM, &action, &terminate_before_);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  ::sigaction(SIGTERM, &terminate_before_, nullptr);
}

bool InterruptGuard::interrupted() noexcept {
  return asked != 0;
}

}  // namespace locdyn::app
