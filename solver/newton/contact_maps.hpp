#pragma once
// The maps of elliptic friction and of rolling and torsional friction, and what their laws make of a row.

#include <locdyn/solver/newton/friction_map.hpp>

namespace locdyn::detail {

/// Stretch and scale of a contact with the coefficients `sliding` along t1 and t2 and block W (3×3), whose larger one
/// the row has.
void set_ellipse(const Eigen::Vector2d& sliding, const Eigen::Matrix3d& W, NewtonRow& row);

/// `friction_map` of the circle, in the axes of the contact. A direction with stretch 0 has R_i = 0.
[[nodiscard]] Eigen::Vector3d elliptic_map(const NewtonRow& row, FrictionMap map, double augmentation,
                                           const DiagonalBlock& block, bool& pressed, MapDerivative* derivative);

/// Coefficients and scales of the moments with block W (3×3), whose force has the block `force`.
void set_moment(const Friction& friction, const Eigen::Matrix3d& force, const Eigen::Matrix3d& W, NewtonRow& row);

/// F_m = M_t − P_D(μ_r s)(M_t − ρ ω_t) and the same for M_n with μ_τ, each over its ρ; s as `friction_map` has it, from
/// U_n and R_n of the row before.
[[nodiscard]] Eigen::Vector3d moment_map(const NewtonRow& row, FrictionMap map, double augmentation,
                                         const DiagonalBlock& moments, bool& pressed, MapDerivative* derivative);

}  // namespace locdyn::detail
