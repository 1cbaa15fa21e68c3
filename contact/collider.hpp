#pragma once
// A shape on a body: what contact detection works with. Body coordinates have their origin at the mass centre.

#include <Eigen/Core>
#include <cstdint>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/bodies/rotation.hpp>
#include <locdyn/contact/shape.hpp>

namespace locdyn {

/// The body of what is on none.
inline constexpr BodyId kNoBody{0xffffffffu};

/// A shape on a body; given once.
using ColliderId = TypedId<class ColliderTag>;
using SurfaceId = TypedId<class SurfaceTag>;  ///< in a MaterialTable

/// Two colliders meet where they belong to different bodies, at least one of which moves, and the groups of each are
/// among those the other collides with.
struct Collider {
  BodyId body = {};                                    ///< that carries it
  Shape shape = Sphere{};                              ///< in its own coordinates
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of the shape's origin, in body coordinates [m]
  Orientation orientation = Orientation::Identity();   ///< from the shape to the body
  SurfaceId surface = {};                              ///< what it is made of, for friction and restitution
  /// How its surface runs beside the body, as that of a conveyor belt does, in coordinates of the shape [m/s].
  Eigen::Vector3d surface_velocity = Eigen::Vector3d::Zero();
  /// Along which `PairMaterial` has its friction where that across it is another one, in coordinates of the shape, of
  /// any length > 0; zero: none. What counts is its part in the surface: see `PairMaterial::cross_friction`.
  Eigen::Vector3d friction_direction = Eigen::Vector3d::Zero();
  std::uint32_t groups = 1;                   ///< bits: the groups it belongs to
  std::uint32_t collides_with = 0xffffffffu;  ///< bits: the groups it meets
};

/// Does each belong to a group that the other meets?
[[nodiscard]] inline bool may_meet(const Collider& a, const Collider& b) noexcept {
  return a.body != b.body && (a.groups & b.collides_with) != 0 && (b.groups & a.collides_with) != 0;
}

/// Throws std::invalid_argument where the shape is not valid, a number is not finite, the quaternion is not of unit
/// length to 1e-6, the body is not in `bodies`, or a shape that is not solid belongs to a body that moves.
void validate(const Collider& collider, const BodySet& bodies);

}  // namespace locdyn
