#pragma once
// Smooth surfaces of bodies in space, in coordinates that are those of space when the contact is added.
//
// A strictly convex one is given by its Gauss map: p(n), the point where the outward normal is n. With the support
// function h(n) = n·p(n), p is the gradient of h, and its second derivative
//
//   ∂p/∂n = ∇²h,   ∇²h n = 0,   has the principal radii of curvature as its other eigenvalues
//
// A ground is given by its height z = f(x, y), and is solid below.
//
// Source: Schneider, Convex Bodies: The Brunn–Minkowski Theory (2014), §§1.7, 2.5.

#include <Eigen/Core>
#include <functional>

namespace locdyn {

/// A strictly convex one, by its Gauss map.
struct ConvexSurface {
  std::function<Eigen::Vector3d(const Eigen::Vector3d&)> point;  ///< p(n) [m], ‖n‖ = 1
  std::function<Eigen::Matrix3d(const Eigen::Vector3d&)> radii;  ///< ∇²h(n) [m]: symmetric, both radii > 0
};
/// Half-axes [m] > 0 along the columns of `axes`, a rotation; a sphere where they are equal. Throws
/// std::invalid_argument.
///
///   p = c + B n/√(n·B n),   B = axes diag(a²) axesᵀ
[[nodiscard]] ConvexSurface ellipsoid_surface(const Eigen::Vector3d& center, const Eigen::Vector3d& half_axes,
                                              const Eigen::Matrix3d& axes = Eigen::Matrix3d::Identity());

/// Where f = 0 it is a plane. For a wall, turn it.
struct HeightSurface {
  std::function<double(const Eigen::Vector2d&)> height;              ///< f(x, y) [m]
  std::function<Eigen::Vector2d(const Eigen::Vector2d&)> slope;      ///< (f_x, f_y)
  std::function<Eigen::Matrix2d(const Eigen::Vector2d&)> curvature;  ///< (f_xx f_xy; f_xy f_yy) [1/m]
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();                  ///< of x, y, z in space [m]
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();                ///< their directions in space: a rotation
};

/// Throws std::invalid_argument naming `what` where a function is missing, returns what is not finite, or gives no
/// point of a strictly convex surface: found at some directions alone.
void validate(const ConvexSurface& surface, const char* what);
/// The same, where a function is missing or the axes are no rotation.
void validate(const HeightSurface& surface, const char* what);

/// Unit vectors spread evenly. Source: González, Math. Geosci. 42 (2010) 49–64 (Fibonacci's lattice).
inline constexpr int kDirections = 96;
[[nodiscard]] Eigen::Vector3d direction(int k);

/// Columns along the surface, at right angles to n (3, ‖n‖ = 1) and each other.
[[nodiscard]] Eigen::Matrix<double, 3, 2> tangents_of(const Eigen::Vector3d& n);

/// p and ∇²h, checked to be finite.
struct ConvexPoint {
  Eigen::Vector3d point;  ///< p(n) [m]
  Eigen::Matrix3d radii;  ///< ∇²h(n) [m]
};
/// At n (‖n‖ = 1). Throws std::invalid_argument naming `what` where a number is not finite.
[[nodiscard]] ConvexPoint point_at(const ConvexSurface& surface, const Eigen::Vector3d& n, const char* what);

/// The closest point of a ground to x, both in its own coordinates: distance d < 0 below, n its normal upwards and the
/// gradient of d, and ∇²d (3×3). It is sought from the point straight above or below x.
struct Foot {
  Eigen::Vector3d point, normal;  ///< of the ground, in its coordinates
  double distance;                ///< d [m]
  Eigen::Matrix3d second;         ///< ∇²d (3×3) [1/m]
};
/// Of x. Throws std::invalid_argument naming `what` where a number is not finite.
[[nodiscard]] Foot foot_of(const HeightSurface& surface, const Eigen::Vector3d& x, const char* what);
/// d(x) as the tangent plane straight above or below has it: cheap, and right to the square of d.
[[nodiscard]] double distance_near(const HeightSurface& surface, const Eigen::Vector3d& x, const char* what);

}  // namespace locdyn
