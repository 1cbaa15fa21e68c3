#pragma once
// The one permutation between a file's rows of a contact, n first, and the library's blocks of (t1, t2, n).

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

namespace locdyn::detail {

/// Where row k of a contact in a file lies in the library: n, t1, t2 of the force (in 2D n, t1), then the rolling
/// moments about t1 and t2.
struct FileRow {
  int block, row;
};
inline constexpr FileRow kFileRows[5] = {{0, 2}, {0, 0}, {0, 1}, {1, 0}, {1, 1}};

/// Blocks of a contact with d rows in a file: 1 for d = 2 and 3, 2 for d = 5.
[[nodiscard]] constexpr std::size_t file_blocks(int d) noexcept {
  return d == 5 ? 2 : 1;
}

/// From a file's vector of d numbers a contact to one vector a block; rows that a file has not are 0.
[[nodiscard]] inline std::vector<Eigen::Vector3d> from_file_order(std::span<const double> values, int d) {
  const auto width = static_cast<std::size_t>(d);
  std::vector<Eigen::Vector3d> blocks(values.size() / width * file_blocks(d), Eigen::Vector3d::Zero());
  for (std::size_t at = 0; at < values.size(); ++at) {
    const FileRow place = kFileRows[at % width];
    blocks[at / width * file_blocks(d) + static_cast<std::size_t>(place.block)][place.row] = values[at];
  }
  return blocks;
}

/// To a file's vector of d numbers a contact.
[[nodiscard]] inline std::vector<double> to_file_order(std::span<const Eigen::Vector3d> blocks, int d) {
  std::vector<double> values;
  values.reserve(blocks.size() / file_blocks(d) * static_cast<std::size_t>(d));
  for (std::size_t first = 0; first < blocks.size(); first += file_blocks(d)) {
    for (int row = 0; row < d; ++row) {
      values.push_back(blocks[first + static_cast<std::size_t>(kFileRows[row].block)][kFileRows[row].row]);
    }
  }
  return values;
}

}  // namespace locdyn::detail
