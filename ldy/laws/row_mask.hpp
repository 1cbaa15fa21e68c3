#pragma once
// Which of the three rows (t1, t2, n) of a block a law uses; the others hold R = 0 and zero W.

#include <cstdint>

namespace locdyn {

using RowMask = std::uint8_t;  ///< bit 0: t1, bit 1: t2, bit 2: n

inline constexpr RowMask kRowsAll = 0b111;     ///< t1, t2 and n
inline constexpr RowMask kRowsPlanar = 0b101;  ///< t1 and n
inline constexpr RowMask kRowNormal = 0b100;   ///< n alone

/// Is row 0 … 2 in use?
[[nodiscard]] constexpr bool uses(RowMask rows, int row) noexcept {
  return ((rows >> row) & 1) != 0;
}
/// d: the number of rows in use.
[[nodiscard]] constexpr int rows_in_use(RowMask rows) noexcept {
  return (rows & 1) + ((rows >> 1) & 1) + ((rows >> 2) & 1);
}

}  // namespace locdyn
