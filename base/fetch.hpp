#pragma once
// Objects that lie scattered in memory, asked for while others are worked on: a scene of some thousand contacts does
// not fit a core's own cache, and each object that is met unprepared costs some 50 to 130 ns.

#include <cstddef>
#include <cstdint>

namespace locdyn::detail {

/// Begins to bring `bytes` from the address `at` on into the cache, to be read or written soon. Nothing need be there.
[[gnu::always_inline]] inline void fetch(std::uintptr_t at, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
#pragma GCC unroll 32
  for (std::size_t line = 0; line < bytes; line += kLine) {
    __builtin_prefetch(reinterpret_cast<const void*>(at + line));
  }
}

/// The same of an object, which may be missing.
[[gnu::always_inline]] inline void fetch(const void* object, std::size_t bytes) {
  fetch(reinterpret_cast<std::uintptr_t>(object), bytes);
}

}  // namespace locdyn::detail
