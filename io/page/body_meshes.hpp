#pragma once
// The shapes of bodies in body coordinates, each distinct one once: bodies that differ by scales of their axes
// alone share it, so that boxes of all sizes are drawn at once.

#include <cstdint>
#include <vector>

#include <locdyn/io/page/trajectory_file.hpp>

namespace locdyn::detail {

/// Along each axis the farthest point lies at distance 1 from the origin of body coordinates, or all at 0.
struct UnitMesh {
  std::vector<float> points;             ///< (points × 3)
  std::vector<std::uint32_t> triangles;  ///< (triangles × 3)
};

struct BodyMeshes {
  std::vector<UnitMesh> meshes;
  std::vector<std::int32_t> mesh_of;  ///< by body, −1 where it has no shape
  std::vector<double> scale_of;       ///< (bodies × 3) of the axes of its mesh [m]
  std::vector<double> size_of;        ///< by body: how far its farthest point lies from its mass centre [m]
};

/// From the points in space at the frame in which each body is drawn first. A body that deforms keeps the shape that
/// it had then. Cost: linear in points but for a search by mesh.
[[nodiscard]] BodyMeshes body_meshes(const TrajectoryFile& file);

}  // namespace locdyn::detail
