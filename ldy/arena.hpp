#pragma once
// The memory of the graph's blocks: a vector whose first element starts a cache line. A diagonal block then never
// splits its R between two lines, and a sweep touches the fewest lines that the blocks' sizes allow.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace locdyn {

/// Memory that starts at a cache line. What a resize adds is as its default constructor leaves it: of plain numbers,
/// without a value. Who fills every element anyway does not write it twice: zeros before a sweep's contacts took 3 %
/// of a step of ten sweeps.
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

  /// As the standard library asks of allocators.
  template <class Element>
  void construct(Element* at) noexcept(std::is_nothrow_default_constructible_v<Element>) {
    ::new (static_cast<void*>(at)) Element;
  }
  /// As the standard library asks of allocators.
  template <class Element, class... Arguments>
  void construct(Element* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) Element(std::forward<Arguments>(arguments)...);
  }

  template <class Other>
  bool operator==(const CacheLineAllocator<Other>&) const noexcept {
    return true;
  }
};

/// A vector that starts at a cache line.
template <class T>
using Arena = std::vector<T, CacheLineAllocator<T>>;

}  // namespace locdyn
