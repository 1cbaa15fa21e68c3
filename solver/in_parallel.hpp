#pragma once
// Pieces of work that nothing ties together, several at once. For sources that are compiled with OpenMP.

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include <locdyn/ldy/parallel_for.hpp>

namespace locdyn {

/// Calls work(i) for each i of `order`, 0 … count − 1 in any order, begun in that order by so many threads. What they
/// throw is handed on when all have ended: of several faults that of the smallest i, whatever the threads.
template <class Work>
void in_parallel(std::span<const std::int64_t> order, int threads, const Work& work) {
  const auto count = static_cast<std::int64_t>(order.size());
  std::vector<std::exception_ptr> faults(order.size());
  parallel_for(count, threads, 1, [&](std::int64_t k) {
    const std::int64_t i = order[k];
    try {
      work(i);
    } catch (...) {
      faults[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& fault : faults) {
    if (fault) std::rethrow_exception(fault);
  }
}

}  // namespace locdyn
