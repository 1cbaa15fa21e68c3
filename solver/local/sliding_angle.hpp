#pragma once
// Sliding as one equation in the direction d of R_t, ‖d‖ = 1: R = R_n (μ d, 1) lies on the cone, U_n = 0 gives
// R_n = −b_n / D with D = W_nn + μ W_nt·d, and U_t must point against d. With V = D U_t, free of quotients,
//
//   g(d) = d⊥·V = 0,   V = W_nn b_t − b_n W_tn + M d,   M = μ (b_t W_nt − b_n W_tt),   D > 0,   d·V ≤ 0.
//
// g is a trigonometric polynomial of degree 2 in the angle θ, so there are at most four such directions, and its
// derivatives are bounded by its coefficients. Chebyshev's step of third order,
//
//   t = s − c s²,   s = −g / g′,   c = g″ / (2 g′),
//
// keeps R on the cone and U_n = 0 to rounding, and the remainder of the Taylor series proves it: where |c s| ≤ 0.1,
//
//   |g(θ + t)| ≤ |s|³ (2.4 c² g′ + 0.25 G + 0.45 g′),   G ≥ |g‴|, |(d·V)″|,
//
// the last term for `turn`, which turns by t − t³/3 + O(t⁵). For −d·V the first order and G t² do.

#include <Eigen/Core>
#include <cmath>

namespace locdyn::detail {

struct SlidingAngle {
  double v0, v1, m00, m01, m10, m11;  ///< V = (v0, v1) + M d
  double normal, w0, w1;              ///< D = normal + (w0, w1)·d
  double bound;                       ///< G

  SlidingAngle(const Eigen::Matrix3d& W, double friction, const Eigen::Vector3d& b) noexcept {
    v0 = W(2, 2) * b[0] - b[2] * W(0, 2);
    v1 = W(2, 2) * b[1] - b[2] * W(1, 2);
    normal = W(2, 2);
    w0 = friction * W(2, 0);
    w1 = friction * W(2, 1);
    const double f = friction * b[2];
    m00 = w0 * b[0] - f * W(0, 0);
    m01 = w1 * b[0] - f * W(0, 1);
    m10 = w0 * b[1] - f * W(1, 0);
    m11 = w1 * b[1] - f * W(1, 1);
    bound = (std::abs(v0) + std::abs(v1)) + 4 * (std::abs(m00 - m11) + std::abs(m10 + m01));
  }

  struct Value {
    double g;      ///< d⊥·V
    double slope;  ///< g′
    double bend;   ///< g″
    double along;  ///< −d·V, ≥ 0 at a solution
    double drift;  ///< its derivative
  };
  [[nodiscard]] Value at(double x, double y) const noexcept {
    const double p0 = m00 * x + m01 * y, p1 = m10 * x + m11 * y;  // M d
    const double q0 = m01 * x - m00 * y, q1 = m11 * x - m10 * y;  // M d⊥
    const double V0 = v0 + p0, V1 = v1 + p1;
    const double g = x * V1 - y * V0;
    const double along = -(x * V0 + y * V1);
    const double drift = -g - (x * q0 + y * q1);
    return {g, along + (x * q1 - y * q0), drift - (x * (q0 + p1) + y * (q1 - p0)), along, drift};
  }
  [[nodiscard]] double D(double x, double y) const noexcept { return normal + (w0 * x + w1 * y); }
};

/// Turns (x, y) by atan(step) = step − step³/3 + O(step⁵) and brings it to length 1. Small steps from a length near 1
/// wait for no root and no quotient: the series of 1/√(1 + e) is cut at ε.
inline void turn(double& x, double& y, double step) noexcept {
  const double e = (x * x + y * y) * (1 + step * step) - 1;
  const double scale = std::abs(e) < 1e-4 ? (1 - 0.5 * e) + e * e * (0.375 - 0.3125 * e) : 1 / std::sqrt(1 + e);
  const double turned = (x - step * y) * scale;
  y = (y + step * x) * scale;
  x = turned;
}

}  // namespace locdyn::detail
