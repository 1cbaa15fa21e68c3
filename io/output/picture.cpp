#include <locdyn/io/output/picture.hpp>

#include <Eigen/Geometry>
#include <algorithm>

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

// In space, of all but planes.
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

// The square of a plane lies below the middle of the scene.
TriangleMesh drawn(const Collider& collider, const BodySet& bodies, int halvings, const Eigen::AlignedBox3d& scene,
                   double plane_extent) {
  if (!is_plane(collider)) return triangulate(collider.shape, {.halvings = halvings});
  constexpr double kWithoutScene = 10;
  double extent = plane_extent;
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

Picture::Picture(Of of, std::span<const Collider> all, const BodySet& bodies, const PictureOptions& options) {
  const Eigen::AlignedBox3d scene = extent_of(all, bodies);
  for (int halvings = 2; halvings >= 0; --halvings) {
    pieces_.clear();
    triangles_.clear();
    triangle_body_.clear();
    std::size_t count = 0;
    for (const Collider& collider : all) {
      if (collider.body == kNoBody || (bodies[collider.body].freedoms() == 0) != (of == Of::obstacles)) continue;
      const TriangleMesh mesh = drawn(collider, bodies, halvings, scene, options.plane_extent);
      for (const auto& triangle : mesh.triangles) {
        for (const int corner : triangle) triangles_.push_back(static_cast<std::int32_t>(count) + corner);
        triangle_body_.push_back(static_cast<std::int32_t>(collider.body));
      }
      count += mesh.vertices.size();
      pieces_.push_back({collider.body, {}});
      for (const Vector3d& x : mesh.vertices) pieces_.back().points.push_back(to_body(collider, x));
    }
    points_.resize(3 * count);
    velocities_.resize(3 * count);
    if (count <= options.points) break;
  }
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
