#pragma once
// Rotations by the exponential map. A rotation vector θ (3) is an axis times an angle [rad].
//
// Source: Koziara & Bićanić, IJNME 81 (2009) 1073–1092, §2; Iserles et al., Acta Numerica 9 (2000) 215–365 (dexp).

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace locdyn {

/// A unit quaternion kept without alignment, so that types that own one have the same layout in every build.
using Orientation = Eigen::Quaternion<double, Eigen::DontAlign>;

/// [a]×, the matrix (3×3) with [a]× b = a × b.
[[nodiscard]] inline Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  return (Eigen::Matrix3d() << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0).finished();
}

/// exp θ as a unit quaternion.
[[nodiscard]] Orientation exponential(const Eigen::Vector3d& theta);

/// exp θ as a matrix (3×3).
[[nodiscard]] Eigen::Matrix3d exponential_matrix(const Eigen::Vector3d& theta);

/// T(θ) (3×3): exp(θ + δ) = exp(θ) exp(T(θ) δ) to first order in δ.
[[nodiscard]] Eigen::Matrix3d exponential_derivative(const Eigen::Vector3d& theta);

/// What small steps add up in: rounding that is biased by steady motion (the same θ each step) would otherwise drift in
/// proportion to the number of steps.
using Extended = long double;
/// Three numbers of that type.
using ExtendedVector = Eigen::Matrix<Extended, 3, 1>;

/// exp(θ) v in extended precision.
[[nodiscard]] ExtendedVector rotated(const ExtendedVector& theta, const ExtendedVector& v);

/// q ← q exp θ, made unit again: the rotation vector θ in the body frame. To 1e-18, rounded once.
void turn(Orientation& q, const Eigen::Vector3d& theta);

/// q as four numbers, scalar first, and back: the numbers as they are, bit for bit. The second throws
/// std::invalid_argument where the norm is off 1 by more than 1e-6.
[[nodiscard]] Eigen::Vector4d coefficients(const Orientation& q);
[[nodiscard]] Orientation orientation_of(const Eigen::Vector4d& coefficients);

/// q of unit norm. Throws std::invalid_argument where it is not finite or its norm is off 1 by more than 1e-6.
[[nodiscard]] Orientation unit_orientation(const Orientation& q);

}  // namespace locdyn
