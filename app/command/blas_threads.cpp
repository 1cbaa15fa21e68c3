#include "blas_threads.hpp"

extern "C" void openblas_set_num_threads(int) __attribute__((weak));
extern "C" int blas_thread_shutdown_() __attribute__((weak));

namespace locdyn::app {

void end_blas_threads() {
  if (openblas_set_num_threads == nullptr || blas_thread_shutdown_ == nullptr) return;
  openblas_set_num_threads(1);  // else the next call starts them again
  (void)blas_thread_shutdown_();
}

}  // namespace locdyn::app
