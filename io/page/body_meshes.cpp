#include <locdyn/io/page/body_meshes.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

namespace locdyn::detail {
namespace {

constexpr float kSame = 1e-3f;  // of the size: points that differ by less are drawn as one
constexpr double kFlat = 1e-6;  // of the size: a mesh that is flat along an axis keeps the size as its scale

struct Piece {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::uint32_t> triangles;
};

// Of each body its own triangles and points, still in space.
std::map<std::int32_t, Piece> pieces_of(const DrawnTriangles& drawn) {
  std::map<std::int32_t, Piece> pieces;
  std::map<std::int32_t, std::uint32_t> local;  // by point; a point belongs to one body
  for (std::size_t k = 0; k < drawn.triangles.size(); ++k) {
    Piece& piece = pieces[drawn.body[k / 3]];
    const std::int32_t point = drawn.triangles[k];
    const auto [at, is_new] = local.emplace(point, static_cast<std::uint32_t>(piece.points.size()));
    if (is_new) piece.points.emplace_back(Eigen::Map<const Eigen::Vector3d>(&drawn.points[3 * std::size_t(point)]));
    piece.triangles.push_back(at->second);
  }
  return pieces;
}

struct Extent {
  Eigen::Vector3d scale = Eigen::Vector3d::Zero();  // along each axis
  double size = 0;                                  // in any direction
};

Extent to_body(Piece& piece, const double* position, const double* orientation) {
  const Eigen::Vector3d x(position[0], position[1], position[2]);
  const Eigen::Quaterniond q(orientation[0], orientation[1], orientation[2], orientation[3]);
  Extent extent;
  for (Eigen::Vector3d& point : piece.points) {
    point = q.conjugate() * (point - x);
    extent.scale = extent.scale.cwiseMax(point.cwiseAbs());
    extent.size = std::max(extent.size, point.norm());
  }
  for (int k = 0; k < 3; ++k) {
    if (extent.scale[k] <= kFlat * extent.size) extent.scale[k] = extent.size > 0 ? extent.size : 1;
  }
  return extent;
}

UnitMesh unit_mesh(const Piece& piece, const Eigen::Vector3d& scale) {
  UnitMesh mesh;
  for (const Eigen::Vector3d& point : piece.points) {
    for (int k = 0; k < 3; ++k) mesh.points.push_back(static_cast<float>(point[k] / scale[k]));
  }
  mesh.triangles = piece.triangles;
  return mesh;
}

bool looks_like(const UnitMesh& a, const UnitMesh& b) {
  return std::ranges::equal(a.points, b.points, [](float x, float y) { return std::abs(x - y) < kSame; });
}

}  // namespace

BodyMeshes body_meshes(const TrajectoryFile& file) {
  BodyMeshes found{.meshes = {},
                   .mesh_of = std::vector<std::int32_t>(file.bodies(), -1),
                   .scale_of = std::vector<double>(3 * file.bodies(), 0),
                   .size_of = std::vector<double>(file.bodies(), 0)};
  std::map<std::vector<std::uint32_t>, std::vector<std::int32_t>> known;  // by triangles
  for (const DrawnTriangles& drawn : file.triangles()) {
    const BodyFrames frame = file.body_frames(drawn.since, 1);
    for (auto& [body, piece] : pieces_of(drawn)) {
      const auto b = static_cast<std::size_t>(body);
      if (found.mesh_of[b] >= 0 || !std::isfinite(frame.position[3 * b])) continue;
      const Extent extent = to_body(piece, &frame.position[3 * b], &frame.orientation[4 * b]);
      UnitMesh mesh = unit_mesh(piece, extent.scale);
      std::vector<std::int32_t>& alike = known[mesh.triangles];
      const auto same = [&](std::int32_t other) { return looks_like(mesh, found.meshes[std::size_t(other)]); };
      auto at = std::ranges::find_if(alike, same);
      if (at == alike.end()) {
        at = alike.insert(alike.end(), static_cast<std::int32_t>(found.meshes.size()));
        found.meshes.push_back(std::move(mesh));
      }
      found.mesh_of[b] = *at;
      found.size_of[b] = extent.size;
      for (std::size_t k = 0; k < 3; ++k) found.scale_of[3 * b + k] = extent.scale[Eigen::Index(k)];
    }
  }
  return found;
}

}  // namespace locdyn::detail
