#pragma once
// The colliders of some bodies as one mesh of triangles, whose points follow the bodies.

#include <Eigen/Geometry>
#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/contact/collider.hpp>
#include <locdyn/io/output/surface_mesh.hpp>

namespace locdyn::detail {

/// The box around all colliders but planes, in space [m]; empty where there are none.
[[nodiscard]] Eigen::AlignedBox3d extent_of(std::span<const Collider> colliders, const BodySet& bodies);

struct PictureOptions {
  int halvings = 2;           ///< of the edges of round shapes, ≥ 0: how fine they are drawn
  double plane_extent = 0;    ///< edge of the square drawn for a plane [m]; 0: four times the extent of all else
  Eigen::AlignedBox3d scene;  ///< that extent: the squares lie below its middle
};

class Picture {
 public:
  enum class Of { moving_bodies, obstacles };

  /// Of those of the colliders that are on bodies with freedoms, or on bodies without. No points yet: `update`.
  Picture(Of of, std::span<const Collider> colliders, const BodySet& bodies, const PictureOptions& options);

  /// The picture goes on one that has so many points: triangles name their corners accordingly. Once.
  void number_points_from(std::size_t first);

  /// Takes points and their velocities from where the bodies are now. Returns whether anything differs from the time
  /// before. Cost: linear in points.
  bool update(const BodySet& bodies);

  [[nodiscard]] std::size_t point_count() const noexcept { return point_count_; }
  /// (points × 3) in space [m], [m/s], single precision.
  [[nodiscard]] std::span<const float> points() const noexcept { return points_; }
  [[nodiscard]] std::span<const float> velocities() const noexcept { return velocities_; }
  /// (triangles × 3) indices of points, and of each triangle the body.
  [[nodiscard]] std::span<const std::int32_t> triangles() const noexcept { return triangles_; }
  [[nodiscard]] std::span<const std::int32_t> bodies() const noexcept { return triangle_body_; }

 private:
  struct Piece {
    BodyId body;
    std::vector<Eigen::Vector3d> points;  // in body coordinates
  };
  std::vector<Piece> pieces_;
  std::size_t point_count_ = 0;
  std::vector<std::int32_t> triangles_, triangle_body_;
  std::vector<float> points_, velocities_, last_points_, last_velocities_;
};

}  // namespace locdyn::detail
