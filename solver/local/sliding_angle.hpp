#pragma once
// Sliding as one equation in the direction d of R_t, ‖d‖ = 1: R = R_n (μ d, 1) lies on the cone, U_n = 0 gives
// R_n = −b_n / D with D = W_nn + μ W_nt·d, and U_t must point against d. With V = D U_t, free of quotients,
//
//   g(d) = d⊥·V = 0,   V = W_nn b_t − b_n W_tn + M d,   M = μ (b_t W_nt − b_n W_tt),   D > 0,   d·V ≤ 0.
//
// g is a trigonometric polynomial of degree 2 in the angle, so there are at most four such directions. Newton on the
// angle keeps R on the cone and U_n = 0 to rounding, and its own value of g is the proof.

#include <Eigen/Core>
#include <cmath>

namespace locdyn {

struct SlidingAngle {
  double v0, v1, m00, m01, m10, m11;  ///< V = (v0, v1) + M d
  double normal, w0, w1;              ///< D = normal + (w0, w1)·d

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
  }

  struct Value {
    double g;      ///< d⊥·V
    double slope;  ///< dg/dθ
    double along;  ///< −d·V, ≥ 0 at a solution
    double D;
  };
  [[nodiscard]] Value at(double x, double y) const noexcept {
    const double V0 = v0 + (m00 * x + m01 * y);
    const double V1 = v1 + (m10 * x + m11 * y);
    const double along = -(x * V0 + y * V1);
    const double bend = (m00 * y - m01 * x) * y + (m11 * x - m10 * y) * x;  // d⊥·M d⊥
    return {x * V1 - y * V0, along + bend, along, normal + (w0 * x + w1 * y)};
  }
};

/// Turns the unit vector (x, y) by 2 atan(step / 2) = step + O(step³).
inline void turn(double& x, double& y, double step) noexcept {
  const double h = 0.5 * step;
  const double h2 = h * h;
  const double inverse = h2 < 1e-6 ? 1 - h2 * (1 - h2) : 1 / (1 + h2);  // to ε either way
  const double sine = 2 * h * inverse;
  const double versine = h * sine;
  const double turned = x - (versine * x + sine * y);
  y = y - (versine * y - sine * x);
  x = turned;
}

}  // namespace locdyn
