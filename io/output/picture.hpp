#pragma once
// The colliders of some bodies as one mesh of triangles, whose points follow the bodies.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/contact/collider.hpp>
#include <locdyn/io/output/surface_mesh.hpp>

namespace locdyn::detail {

struct PictureOptions {
  std::size_t points = 200'000;  ///< round shapes are drawn coarser rather than that there are more
  double plane_extent = 0;       ///< edge of the square drawn for a plane [m]; 0: four times the extent of all else
};

class Picture {
 public:
  enum class Of { moving_bodies, obstacles };

  /// Of the colliders on bodies with freedoms, or on those without. `all` is what gives planes their extent and place.
  Picture(Of of, std::span<const Collider> all, const BodySet& bodies, const PictureOptions& options);

  /// Takes points and their velocities from where the bodies are now. Returns whether anything differs from the time
  /// before. Cost: linear in points.
  bool update(const BodySet& bodies);

  [[nodiscard]] std::size_t point_count() const noexcept { return points_.size() / 3; }
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
  std::vector<std::int32_t> triangles_, triangle_body_;
  std::vector<float> points_, velocities_, last_points_, last_velocities_;
};

}  // namespace locdyn::detail
