#pragma once
// The local frame of a constraint: columns (t1, t2, n) in space, right-handed, n at index 2.
//
// Source of the first: Frisvad, J. Graphics Tools 16 (2012) 151–159, with the form of 1/(1 + n_z) that does not cancel.

#include <Eigen/Core>

namespace locdyn {

/// The frame (3×3) of a normal of any length > 0: e_z turned into n by the least rotation, and e_x, e_y with it. It is
/// orthonormal to rounding everywhere and continuous but at n = −e_z, where (e_x, −e_y, −e_z) is taken; no choice is
/// continuous on the whole sphere. Throws std::invalid_argument where the normal is zero or not finite.
[[nodiscard]] Eigen::Matrix3d local_frame(const Eigen::Vector3d& normal);

/// The frame of a contact in the plane z = 0: t2 = e_z, t1 = e_z × n, so that t1 and n lie in the plane. Throws
/// std::invalid_argument where the normal is zero, not finite or leaves the plane by more than 1e-9 of its length.
[[nodiscard]] Eigen::Matrix3d planar_frame(const Eigen::Vector3d& normal);

/// `frame` turned by the least rotation that takes its n into the new normal of any length > 0: tangents that follow a
/// contact in time without a jump, wherever n points. A normal that is opposite to n (no least rotation) turns about
/// t1. Throws std::invalid_argument where the normal is zero or not finite.
[[nodiscard]] Eigen::Matrix3d transported_frame(const Eigen::Matrix3d& frame, const Eigen::Vector3d& normal);

}  // namespace locdyn
