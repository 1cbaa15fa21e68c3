#include "bindings.hpp"

namespace locdyn::python {
namespace {

std::atomic<bool> wished = false, urged = false;  // by one Ctrl-C, and by another that nobody has answered yet
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes to it");

// Asked once of Python: 4 us, of a step of 70.
bool in_main_thread() {
  static const auto main_thread =
      py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  return PyThread_get_thread_ident() == main_thread;
}

}  // namespace

// A signal may reach its handler late, in another thread: what is set already is not cleared here, somebody takes it.
CtrlC::CtrlC() : watches_(in_main_thread()) {
  if (!watches_) return;
  struct sigaction action = {};
  action.sa_handler = [](int) {
    if (wished.exchange(true)) urged = true;
  };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &before_);
}

CtrlC::~CtrlC() {
  if (!watches_) return;
  ::sigaction(SIGINT, &before_, nullptr);
  urged = false;
  if (wished.exchange(false)) PyErr_SetInterrupt();
}

const std::atomic<bool>* CtrlC::flag_of_second() noexcept {
  return &urged;
}

const std::atomic<bool>* CtrlC::flag() const noexcept {
  return watches_ ? &wished : nullptr;
}

bool CtrlC::take() const noexcept {
  if (!watches_) return false;
  urged = false;
  return wished.exchange(false);
}

void CtrlC::raise() const {
  if (!take()) return;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

}  // namespace locdyn::python
