#pragma once
// Where a body of any kind is and how it moves, in space: what a trajectory stores of it.

#include <string_view>

#include <locdyn/bodies/body.hpp>
#include <locdyn/bodies/rotation.hpp>

namespace locdyn::detail {

struct BodyState {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();          ///< of the origin of body coordinates [m]
  Orientation orientation = Orientation::Identity();           ///< from body to space; of a pseudo-rigid body the
                                                               ///< rotation in F = Q S
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< of that origin [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< in space [rad/s]
};

/// "rigid body", "particle", …; "other" for a kind that is not the library's.
[[nodiscard]] std::string_view kind_of(const Body& body) noexcept;

[[nodiscard]] BodyState state_of(const Body& body);

}  // namespace locdyn::detail
