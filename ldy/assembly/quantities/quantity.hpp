#pragma once
// What constraints are made of: numbers and vectors that the configuration and the time decide, each with all that a
// row needs of it. A quantity c has
//
//   value c,   velocity ċ = H u + drive,   bias: c̈ = H u̇ + bias
//
// where drive is what time and moving obstacles add, and bias is c̈ while the bodies' own velocities u stay. Products
// and chains of quantities keep all four by the rules of differentiation: a joint says what its C is, and H and bias
// follow. H runs over the velocities of all bodies of the constraint, one body after the other.

#include <Eigen/Core>

namespace locdyn {

/// The most velocities that a row is differentiated by: six pseudo-rigid bodies.
inline constexpr int kMaxVelocities = 72;

/// A velocity that need not be the derivative of anything, such as the slip of a wheel.
struct Rate {
  /// 1×N; no memory of its own is taken.
  using Row = Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor | Eigen::DontAlign, 1, kMaxVelocities>;
  double velocity = 0, drive = 0, bias = 0;  ///< ċ, its part that is not H u, and that of c̈ that is not H u̇
  Row H;                                     ///< 1×N
};
/// The same of a vector.
struct VectorRate {
  /// 3×N; no memory of its own is taken.
  using Matrix = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::DontAlign, 3, kMaxVelocities>;
  /// As of Rate.
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero(), drive = Eigen::Vector3d::Zero(), bias = Eigen::Vector3d::Zero();
  Matrix H;  ///< 3×N
};

struct Quantity : Rate {
  double value = 0;  ///< c
};
/// A vector with its rate.
struct VectorQuantity : VectorRate {
  Eigen::Vector3d value = Eigen::Vector3d::Zero();  ///< in space
};

// --- sums ------------------------------------------------------------------------------------------------------------

/// Each part by itself.
[[nodiscard]] Quantity operator+(const Quantity& a, const Quantity& b);
[[nodiscard]] Quantity operator-(const Quantity& a, const Quantity& b);
[[nodiscard]] Quantity operator*(double factor, const Quantity& a);
[[nodiscard]] Quantity operator-(const Quantity& a, double constant);
[[nodiscard]] VectorQuantity operator+(const VectorQuantity& a, const VectorQuantity& b);
[[nodiscard]] VectorQuantity operator-(const VectorQuantity& a, const VectorQuantity& b);
[[nodiscard]] VectorQuantity operator*(double factor, const VectorQuantity& a);
[[nodiscard]] Rate operator-(const Rate& a, const Rate& b);
[[nodiscard]] Rate operator*(double factor, const Rate& a);
[[nodiscard]] VectorRate operator+(const VectorRate& a, const VectorRate& b);
[[nodiscard]] VectorRate operator-(const VectorRate& a, const VectorRate& b);

// --- products and chains ---------------------------------------------------------------------------------------------

/// f(c) from f, f′ and f″ at c.
[[nodiscard]] Quantity chain(double f, double first, double second, const Quantity& c);
[[nodiscard]] Quantity operator*(const Quantity& a, const Quantity& b);
[[nodiscard]] VectorQuantity operator*(const Quantity& a, const VectorQuantity& b);
[[nodiscard]] Quantity dot(const VectorQuantity& a, const VectorQuantity& b);
[[nodiscard]] VectorQuantity cross(const VectorQuantity& a, const VectorQuantity& b);
/// A component, 0 … 2.
[[nodiscard]] Quantity component(const VectorQuantity& a, int i);
[[nodiscard]] Rate dot(const VectorQuantity& a, const VectorRate& b);
[[nodiscard]] VectorRate cross(const VectorRate& a, const VectorQuantity& b);

// --- lengths and angles ----------------------------------------------------------------------------------------------

/// ‖a‖ and a/‖a‖. Throw std::invalid_argument where a is zero.
[[nodiscard]] Quantity norm(const VectorQuantity& a);
[[nodiscard]] VectorQuantity unit(const VectorQuantity& a);
/// The angle of (x, y), −π … π [rad]. Throws std::invalid_argument where both are zero.
[[nodiscard]] Quantity atan2(const Quantity& y, const Quantity& x);
/// From a to b as seen against the direction n of any length, −π … π: of their parts across n. Regular at 0. Throws
/// std::invalid_argument where a or b is zero or along n.
[[nodiscard]] Quantity signed_angle(const VectorQuantity& a, const VectorQuantity& b, const VectorQuantity& n);
/// Between a and b, 0 … π: atan2(‖a × b‖, a·b). At 0 and π, where it has a kink, its derivative is that of the signed
/// angle about one direction across a, e_z made perpendicular to it (e_x where a is along z): it stays of length 1.
[[nodiscard]] Quantity unsigned_angle(const VectorQuantity& a, const VectorQuantity& b);

}  // namespace locdyn
