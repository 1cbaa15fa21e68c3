#include <locdyn/distributed/hilbert_curve.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace locdyn::distributed {
namespace {

constexpr int kBits = 21;  // along each axis

}  // namespace

CurveCube cube_around(const Eigen::Vector3d& low, const Eigen::Vector3d& high) {
  const double extent = (high - low).maxCoeff();
  CurveCube cube{low, 1};
  if (extent > 0) cube.edge = std::exp2(std::floor(std::log2(extent)) + 1);
  return cube;
}

std::uint64_t hilbert_place(const CurveCube& cube, const Eigen::Vector3d& point) noexcept {
  constexpr std::uint32_t kCells = 1u << kBits;
  std::array<std::uint32_t, 3> x{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double cell = (point[static_cast<Eigen::Index>(i)] - cube.corner[static_cast<Eigen::Index>(i)]) / cube.edge *
                        static_cast<double>(kCells);
    x[i] = static_cast<std::uint32_t>(std::clamp(cell, 0.0, static_cast<double>(kCells - 1)));
  }

  // From the axes to the transposed place: undo the turns of each level, from the coarsest on, then the Gray code.
  for (std::uint32_t q = kCells >> 1; q > 1; q >>= 1) {
    const std::uint32_t below = q - 1;
    for (std::uint32_t& axis : x) {
      if ((axis & q) != 0) {
        x[0] ^= below;
      } else {
        const std::uint32_t t = (x[0] ^ axis) & below;
        x[0] ^= t;
        axis ^= t;
      }
    }
  }
  x[1] ^= x[0];
  x[2] ^= x[1];
  std::uint32_t t = 0;
  for (std::uint32_t q = kCells >> 1; q > 1; q >>= 1) {
    if ((x[2] & q) != 0) t ^= q - 1;
  }
  for (std::uint32_t& axis : x) axis ^= t;

  // The bits of the three in turn, the highest first.
  std::uint64_t place = 0;
  for (int bit = kBits - 1; bit >= 0; --bit) {
    for (const std::uint32_t axis : x) place = place << 1 | ((axis >> bit) & 1u);
  }
  return place;
}

}  // namespace locdyn::distributed
