#include <locdyn/io/output/picture.hpp>

#include <locdyn/io/output/body_state.hpp>

namespace locdyn::detail {
namespace {

using Eigen::Vector3d;

bool is_plane(const Collider& collider) {
  return std::holds_alternative<Plane>(collider.shape);
}

Vector3d to_body(const Collider& collider, const Vector3d& x) {
  return collider.position + collider.orientation * x;
}

// The square of a plane lies below the middle of the scene.
TriangleMesh drawn(const Collider& collider, const BodySet& bodies, const PictureOptions& options) {
  if (!is_plane(collider)) return triangulate(collider.shape, {.halvings = options.halvings});
  constexpr double kWithoutScene = 10;
  const Eigen::AlignedBox3d& scene = options.scene;
  double extent = options.plane_extent;
  if (extent <= 0)
    extent = scene.isEmpty() || scene.diagonal().norm() == 0 ? kWithoutScene : 4 * scene.sizes().maxCoeff();
  Vector3d centre = Vector3d::Zero();
  if (!scene.isEmpty()) {
    const Vector3d X = bodies[collider.body].to_body(scene.center());
    centre = collider.orientation.conjugate() * (X - collider.position);
  }
  return triangulate(collider.shape, {}, extent, centre.head<2>());
}

}  // namespace

Eigen::AlignedBox3d extent_of(std::span<const Collider> colliders, const BodySet& bodies) {
  Eigen::AlignedBox3d box;
  for (const Collider& collider : colliders) {
    if (collider.body == kNoBody || is_plane(collider)) continue;
    for (const Vector3d& x : triangulate(collider.shape, {.halvings = 0}).vertices) {
      box.extend(bodies[collider.body].to_space(to_body(collider, x)));
    }
  }
  return box;
}

Picture::Picture(Of of, std::span<const Collider> colliders, const BodySet& bodies, const PictureOptions& options) {
  for (const Collider& collider : colliders) {
    if (collider.body == kNoBody || (bodies[collider.body].freedoms() == 0) != (of == Of::obstacles)) continue;
    const TriangleMesh mesh = drawn(collider, bodies, options);
    for (const auto& triangle : mesh.triangles) {
      for (const int corner : triangle) triangles_.push_back(static_cast<std::int32_t>(point_count_) + corner);
      triangle_body_.push_back(static_cast<std::int32_t>(collider.body));
    }
    point_count_ += mesh.vertices.size();
    pieces_.push_back({collider.body, {}});
    for (const Vector3d& x : mesh.vertices) pieces_.back().points.push_back(to_body(collider, x));
  }
}

void Picture::number_points_from(std::size_t first) {
  for (std::int32_t& corner : triangles_) corner += static_cast<std::int32_t>(first);
}

bool Picture::update(const BodySet& bodies) {
  last_points_.swap(points_);
  last_velocities_.swap(velocities_);
  points_.clear();
  velocities_.clear();
  for (const Piece& piece : pieces_) {
    const Body& body = bodies[piece.body];
    for (const Vector3d& X : piece.points) {
      const Vector3d x = body.to_space(X), v = body.velocity_at(x);
      for (int k = 0; k < 3; ++k) {
        points_.push_back(static_cast<float>(x[k]));
        velocities_.push_back(static_cast<float>(v[k]));
      }
    }
  }
  return points_ != last_points_ || velocities_ != last_velocities_;
}

}  // namespace locdyn::detail
