#pragma once
// Objects that lie scattered in memory, asked for while others are worked on: a scene of some thousand contacts does
// not fit a core's own cache, and each object that is met unprepared costs some 50 to 130 ns.

#include <cstddef>
#include <cstdint>

namespace locdyn::detail {

/// Begins to bring `bytes` from `object` on into the cache, to be read or written soon. The object may be missing.
inline void fetch(const void* object, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const auto at = reinterpret_cast<std::uintptr_t>(object);
  for (std::size_t line = 0; line < bytes; line += kLine) {
    __builtin_prefetch(reinterpret_cast<const void*>(at + line));
  }
}

}  // namespace locdyn::detail
