#pragma once
// One ray and one solid shape, both in coordinates of the shape, in closed form: where it enters.
//
// Source: Ericson, Real-Time Collision Detection (2005) §5.3 (slabs, convex polytopes, quadrics).

#include <Eigen/Core>
#include <optional>
#include <vector>

#include <locdyn/contact/shape.hpp>

namespace locdyn::detail {

/// x = origin + t direction, t ≥ 0; the direction is of any length but 0.
struct LocalRay {
  Eigen::Vector3d origin, direction;
};

/// Where a ray meets a shape.
struct ShapeHit {
  double t;
  Eigen::Vector3d normal;  ///< outward, of any length; against the ray where it begins inside
};

/// A face of a hull: n·(x − point) ≤ 0 inside.
struct Face {
  Eigen::Vector3d normal, point;
};

/// The faces of a valid hull.
[[nodiscard]] std::vector<Face> faces_of(const ConvexHull& hull);

/// The first point in a shape, t = 0 where the ray begins inside.
[[nodiscard]] std::optional<ShapeHit> enter(const Sphere& sphere, const LocalRay& ray);
[[nodiscard]] std::optional<ShapeHit> enter(const Box& box, const LocalRay& ray);
[[nodiscard]] std::optional<ShapeHit> enter(const Capsule& capsule, const LocalRay& ray);
[[nodiscard]] std::optional<ShapeHit> enter(const Cylinder& cylinder, const LocalRay& ray);
[[nodiscard]] std::optional<ShapeHit> enter(const std::vector<Face>& hull, const LocalRay& ray);
[[nodiscard]] std::optional<ShapeHit> enter(const Plane& plane, const LocalRay& ray);

}  // namespace locdyn::detail
