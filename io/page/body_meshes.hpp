#pragma once
// The shapes of bodies in body coordinates, each distinct one once: bodies that differ by a scale alone share it.

#include <cstdint>
#include <vector>

#include <locdyn/io/page/trajectory_file.hpp>

namespace locdyn::detail {

/// The farthest point lies at distance 1 from the origin of body coordinates.
struct UnitMesh {
  std::vector<float> points;             ///< (points × 3)
  std::vector<std::uint32_t> triangles;  ///< (triangles × 3)
};

struct BodyMeshes {
  std::vector<UnitMesh> meshes;
  std::vector<std::int32_t> mesh_of;  ///< by body, −1 where it has no shape
  std::vector<double> size_of;        ///< by body: the scale of its mesh [m]
};

/// From the points in space at the frame in which each body is drawn first. A body that deforms keeps the shape that
/// it had then. Cost: linear in points but for a search by mesh.
[[nodiscard]] BodyMeshes body_meshes(const TrajectoryFile& file);

}  // namespace locdyn::detail
