#include <locdyn/solver/single_threaded_blas.hpp>

#include <mutex>

#include <locdyn/threads/team.hpp>

extern "C" void openblas_set_num_threads(int) __attribute__((weak));
extern "C" int openblas_get_num_threads() __attribute__((weak));

namespace locdyn::detail {
namespace {

// The setting is one for the whole process, so its holders are counted: islands are factorised side by side.
std::mutex guard;
int holders = 0;
int threads_before = 1;

bool is_openblas() {
  return openblas_set_num_threads != nullptr && openblas_get_num_threads != nullptr;
}

}  // namespace

// CHOLMOD 3 asks for four threads of OpenMP in each large supernode, whatever is set: where no level may be active it
// gets one. Wall of 1000 contacts, one thread of two cores: 104 ms a solve in place of 149. A setting of the calling
// task.
SingleThreadedBlas::SingleThreadedBlas() : levels_before_(allow_teams(0)) {
  if (!is_openblas()) return;
  const std::scoped_lock lock(guard);
  if (holders++ > 0) return;
  threads_before = openblas_get_num_threads();
  if (threads_before != 1) openblas_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  (void)allow_teams(levels_before_);
  if (!is_openblas()) return;
  const std::scoped_lock lock(guard);
  if (--holders == 0 && threads_before != 1) openblas_set_num_threads(threads_before);
}

}  // namespace locdyn::detail
