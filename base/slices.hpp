#pragma once
// A list cut into consecutive slices, as equal as whole numbers let them be.

#include <cstddef>

namespace locdyn::detail {

/// The places [begin, end) of a list.
struct Slice {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] constexpr std::size_t size() const noexcept { return end - begin; }
};

/// Slice `which` of `count` places in `slices`; count × slices < 2⁶⁴.
[[nodiscard]] constexpr Slice slice_of(std::size_t count, std::size_t which, std::size_t slices) noexcept {
  return {count * which / slices, count * (which + 1) / slices};
}

/// The slice that place `i` < `count` is in.
[[nodiscard]] constexpr std::size_t slice_with(std::size_t i, std::size_t count, std::size_t slices) noexcept {
  return ((i + 1) * slices - 1) / count;
}

}  // namespace locdyn::detail
