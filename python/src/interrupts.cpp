#include "bindings.hpp"

namespace locdyn::python {
namespace {

std::atomic<bool> wished = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes to it");

bool in_main_thread() {
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

CtrlC::CtrlC() : watches_(in_main_thread()) {
  if (!watches_) return;
  wished = false;
  struct sigaction action = {};
  action.sa_handler = [](int) { wished = true; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &before_);
}

CtrlC::~CtrlC() {
  if (!watches_) return;
  ::sigaction(SIGINT, &before_, nullptr);
  wished = false;
}

const std::atomic<bool>* CtrlC::shared_flag() noexcept {
  return &wished;
}

const std::atomic<bool>* CtrlC::flag() const noexcept {
  return watches_ ? &wished : nullptr;
}

bool CtrlC::asked() const noexcept {
  return watches_ && wished;
}

void CtrlC::raise() const {
  if (!asked()) return;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

}  // namespace locdyn::python
