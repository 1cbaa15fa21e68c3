#pragma once
// The memory of the graph's blocks: a vector whose first element starts a cache line. A diagonal block then never
// splits its R between two lines, and a sweep touches the fewest lines that the blocks' sizes allow.

#include <cstddef>
#include <new>
#include <vector>

namespace locdyn {

/// Memory that starts at a cache line.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};  ///< of the machines it is made for

  CacheLineAllocator() = default;
  /// It keeps nothing: any is as good as another.
  template <class Other>
  explicit CacheLineAllocator(const CacheLineAllocator<Other>&) noexcept {}

  /// As the standard library asks of allocators.
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T), kLine));
  }
  /// As the standard library asks of allocators.
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, kLine); }

  template <class Other>
  bool operator==(const CacheLineAllocator<Other>&) const noexcept {
    return true;
  }
};

/// A vector that starts at a cache line.
template <class T>
using Arena = std::vector<T, CacheLineAllocator<T>>;

}  // namespace locdyn
