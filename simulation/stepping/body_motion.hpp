#pragma once
// A body's motion as the mechanics of points sees it, whatever its kind, and the sums over bodies.

#include <Eigen/Core>
#include <span>

#include <locdyn/bodies/body_set.hpp>

namespace locdyn::detail {

struct BodyMotion {
  Eigen::Vector3d centre;            ///< of mass, in space [m]; an obstacle's is its coordinates' origin
  Eigen::Vector3d velocity;          ///< of that point, in space [m/s]
  Eigen::Vector3d angular_velocity;  ///< in space [rad/s]
};
[[nodiscard]] BodyMotion motion_of(const Body& body);

struct MotionTotals {
  double kinetic_energy = 0, potential_energy = 0;             ///< the latter 0 at the space origin [J]
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero();          ///< [kg m/s]
  Eigen::Vector3d angular_momentum = Eigen::Vector3d::Zero();  ///< about the space origin [kg m²/s]
  double largest_speed = 0;                                    ///< |v| + |ω| extent of a moving body [m/s]
};
/// Of the bodies `ids`; `extent` has one entry a body. Obstacles have energies at most. The bits do not depend on
/// `threads`.
[[nodiscard]] MotionTotals motion_totals(const BodySet& bodies, std::span<const BodyId> ids,
                                         std::span<const double> extent, const Eigen::Vector3d& gravity, int threads);

}  // namespace locdyn::detail
