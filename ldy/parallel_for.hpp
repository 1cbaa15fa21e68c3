#pragma once
// A loop whose passes are independent, on several threads. For sources that are compiled with OpenMP.

#include <cstdint>

namespace locdyn {

/// Calls work(i) for i = 0 … count − 1, runs of `chunk` at a time, on so many threads; on one in a plain loop, since
/// even a team of one costs some 0.5 µs to call together. `work` throws nothing.
template <class Work>
void parallel_for(std::int64_t count, int threads, std::int64_t chunk, const Work& work) {
  if (threads <= 1 || count <= chunk) {
    for (std::int64_t i = 0; i < count; ++i) work(i);
    return;
  }
#pragma omp parallel for schedule(dynamic, chunk) num_threads(threads)
  for (std::int64_t i = 0; i < count; ++i) work(i);
}

}  // namespace locdyn
