#pragma once
// Where rows that are split over processes lie in a file: in pieces of as many rows each, a piece in one run of bytes.
// The leader, which has laid them out, tells all; each process writes its own rows there.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace locdyn::detail {

/// Of one dataset, or of one row of a series of rows.
struct RowPlaces {
  std::uint64_t piece = 1;               ///< rows in a piece
  std::vector<std::uint64_t> addresses;  ///< where each piece begins [bytes]

  /// As numbers that can be sent, behind those that are there.
  void put(std::vector<std::uint64_t>& numbers) const;
  /// The first of what was put; takes it off the front.
  [[nodiscard]] static RowPlaces take(std::span<const std::uint64_t>& numbers);
};

/// Some rows of one process, of `row_bytes` each: `count` of them, with `before` rows of others before them.
struct OwnRows {
  const std::byte* data;
  std::size_t row_bytes;
  std::uint64_t before, count;
};

/// Writes them into an open file. Throws FileError, which calls the file `called`.
void write_rows(int descriptor, const RowPlaces& places, const OwnRows& rows, const std::filesystem::path& called);

}  // namespace locdyn::detail
