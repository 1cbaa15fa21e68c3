#pragma once
// Points that forces act at: material points of bodies, or points fixed in space, on which nothing acts.

#include <optional>
#include <vector>

#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/ldy/assembly/quantities/body_quantities.hpp>

namespace locdyn::detail {

/// The bodies of the anchors, each once. Throws std::invalid_argument where there is none.
[[nodiscard]] std::vector<BodyId> bodies_of(std::span<const Anchor> anchors);

/// Position and velocity now; at rest without a body.
[[nodiscard]] MaterialMotion motion_of(const BodySet& bodies, const MaterialPoint& p);
/// Velocity [m/s] of what of the body lies at x (space); zero without a body.
[[nodiscard]] Eigen::Vector3d velocity_at(const BodySet& bodies, std::optional<BodyId> body, const Eigen::Vector3d& x);
/// Adds a force [N] at x, both in space; nothing without a body.
void add_force(BodySet& bodies, std::optional<BodyId> body, const Eigen::Vector3d& force, const Eigen::Vector3d& x);

}  // namespace locdyn::detail
