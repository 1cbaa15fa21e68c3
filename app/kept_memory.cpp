#include "kept_memory.hpp"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace locdyn::app {

void keep_freed_memory() noexcept {
#if defined(M_TRIM_THRESHOLD) && defined(M_MMAP_THRESHOLD)
  constexpr int kMiB = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMiB);  // the most that it takes
  mallopt(M_TRIM_THRESHOLD, 1024 * kMiB);
#endif
}

}  // namespace locdyn::app
