#pragma once
// One vector (3) of each of four rows, a register an axis.

#include <array>
#include <cmath>
#include <cstddef>

#include <locdyn/base/lanes_anywhere.hpp>

namespace locdyn::detail {

struct FourVectors {
  FourLanes x, y, z;
};

/// Of each row the three numbers that lie behind so many others, and the fourth after them.
[[gnu::always_inline]] inline void gather_vectors(const std::array<const double*, 4>& rows, std::ptrdiff_t skipped,
                                                  FourVectors& vectors, FourLanes& fourth) {
  FourLanes lanes[4];
  for (std::size_t i = 0; i < 4; ++i) load_lanes(rows[i] + skipped, lanes[i]);
  transpose_lanes(lanes);
  vectors = {lanes[0], lanes[1], lanes[2]};
  fourth = lanes[3];
}

/// √(x² + y²)
[[gnu::always_inline]] inline void norm_in_plane(const FourLanes& x, const FourLanes& y, FourLanes& norm) {
  norm = x * x + y * y;
  for (int lane = 0; lane < 4; ++lane) norm[lane] = std::sqrt(norm[lane]);
}

}  // namespace locdyn::detail
