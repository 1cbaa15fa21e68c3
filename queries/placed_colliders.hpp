#pragma once
// Where the shapes of a System lie now: what all queries start from.

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include <locdyn/queries/bounds_tree.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

/// x = Q X + middle takes coordinates of the shape to space.
struct PlacedCollider {
  ColliderId id;
  BodyId body;
  std::uint32_t groups;
  Eigen::Matrix3d Q, inverse;  ///< of a body that deforms no rotation
  Eigen::Vector3d middle;
};

/// Those that the system contains, by id. Throws std::invalid_argument, `who` before it, where a body lies at no finite
/// place, std::logic_error while a step runs in another thread. Cost: linear.
[[nodiscard]] std::vector<PlacedCollider> placed_colliders(const System& system, const char* who);

/// "(x, y, z)".
[[nodiscard]] std::string spelled_vector(const Eigen::Vector3d& v);

/// The box about a box of a shape's own coordinates, once placed.
[[nodiscard]] Bounds moved(const Bounds& local, const Eigen::Matrix3d& Q, const Eigen::Vector3d& middle);

}  // namespace locdyn::detail
