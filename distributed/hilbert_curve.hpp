#pragma once
// The place of a point along Hilbert's curve through a cube: points that are near on the curve are near in space, so
// that bodies in this order, cut into runs, give compact parts.
//
// Source: Skilling, AIP Conf. Proc. 707 (2004) 381–387 (the transform); for partitions: Salmon & Warren (1993), as in
// Zoltan's HSFC.

#include <Eigen/Core>
#include <cstdint>

namespace locdyn::distributed {

/// The cube that the curve fills.
struct CurveCube {
  Eigen::Vector3d corner = Eigen::Vector3d::Zero();  ///< the lowest [m]
  double edge = 1;                                   ///< > 0 [m]
};

/// The smallest cube with corner `low` whose edge is a power of two and that holds `low` … `high`: points that move
/// little do not change it.
[[nodiscard]] CurveCube cube_around(const Eigen::Vector3d& low, const Eigen::Vector3d& high);

/// 0 … 2⁶³ − 1, of 2²¹ cells along each edge; points outside count as the nearest inside. Cost: some 100 operations.
[[nodiscard]] std::uint64_t hilbert_place(const CurveCube& cube, const Eigen::Vector3d& point) noexcept;

}  // namespace locdyn::distributed
