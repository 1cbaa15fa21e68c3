#pragma once
// The rows of one point of two rigid bodies, which most rows are: H, Y = h A⁻¹ Hᵀ and W_αα in one go, the three
// components of a column side by side in one vector register. To rounding what `Constraint::evaluate` and the
// assembly's general way make of it, in half of the instructions.

#include <Eigen/Core>
#include <span>

#include <locdyn/bodies/rigid_body.hpp>

namespace locdyn::detail {

/// One of the bodies at the point, and where its H (3×6) and Y (6×3) go, as `Kinematics` keeps them.
struct RigidSide {
  const RigidBody* body;
  double sign;  ///< −1 for the master, +1 for the slave
  double *H, *Y;
};

/// H ← sign · H of the body's point at x, frame (3×3) its axes in space, and Y of each side; W ← Σ H Y.
void fill_rigid_rows(std::span<const RigidSide> sides, const Eigen::Vector3d& x, const Eigen::Matrix3d& frame, double h,
                     Eigen::Matrix3d& W);

}  // namespace locdyn::detail
