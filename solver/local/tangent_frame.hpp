#pragma once
// One contact reduced to its tangent plane. Sliding means U_t = −λ R_t with λ ≥ 0, sticking is λ = 0, and with the
// normal row eliminated the reaction of every λ is
//
//   (S + λ I) R_t = −c,   S = W_tt − W_tn W_nt / W_nn,   c = b_t − W_tn b_n / W_nn,   R_n = β − m·R_t,
//   β = −b_n / W_nn,   m = W_nt / W_nn.
//
// S is turned by Q so that its symmetric part is diagonal; the skew part τ does not change:
//
//   Qᵀ S Q = [σ₀ −τ; τ σ₁],   R_t = −Q v(λ) / p(λ),   v = λ c + a,   a = adj(S) c,   p = (σ₀ + λ)(σ₁ + λ) + τ².
//
// All terms of p are ≥ 0: R(λ) comes without cancellation, whatever the condition of W.
// Source: Daviet, Bertails-Descoubes & Boissieux, ACM TOG 30 (2011), appendix (the parameter λ); the turned frame is
// the project's own.

#include <Eigen/Core>

namespace locdyn::detail {

/// What of W the parameter λ needs, in the turned tangent plane. 96 bytes.
struct TangentFrame {
  double cosine = 1, sine = 0;  ///< Qᵀ x = (cosine x₀ − sine x₁, sine x₀ + cosine x₁)
  double sigma[2] = {0, 0};     ///< eigenvalues of the symmetric part of S, raised to their rounding where smaller
  double tau = 0;               ///< skew part of S
  double k[2] = {0, 0};         ///< Qᵀ W_tn / W_nn
  double m[2] = {0, 0};         ///< Qᵀ W_nt / W_nn
  double inverse_normal = 0;    ///< 1 / W_nn, or 0 where W_nn ≤ 0
  double determinant = 0;       ///< p(0)
  double inverse_determinant = 0;

  /// Sets the frame up. Returns true where W_nn > 0 and S is positive semidefinite to rounding: then p > 0, and a
  /// solution of the contact exists for every b. W (3×3) in (t1, t2, n).
  bool set(const Eigen::Matrix3d& W) noexcept;
};

/// What `TangentFrame::set` returns. Cost: a few products where W is positive definite by far, else that of `set`.
[[nodiscard]] bool is_regular(const Eigen::Matrix3d& W) noexcept;

/// What of b the parameter λ needs: v(λ) = λ c + a and R_n p = q(λ) = β p(λ) + m·v(λ), in the turned plane.
struct TangentLoad {
  double c[2], a[2], beta, q0;

  TangentLoad(const TangentFrame& f, const Eigen::Vector3d& b) noexcept {
    c[0] = f.cosine * b[0] - f.sine * b[1] - f.k[0] * b[2];
    c[1] = f.sine * b[0] + f.cosine * b[1] - f.k[1] * b[2];
    a[0] = f.sigma[1] * c[0] + f.tau * c[1];
    a[1] = f.sigma[0] * c[1] - f.tau * c[0];
    beta = -b[2] * f.inverse_normal;
    q0 = beta * f.determinant + (f.m[0] * a[0] + f.m[1] * a[1]);
  }

  /// The reaction of λ = 0 lies in the cone: ‖a‖ ≤ μ q(0). No square root.
  [[nodiscard]] bool sticks(double friction) const noexcept {
    return q0 > 0 && a[0] * a[0] + a[1] * a[1] <= friction * friction * q0 * q0;
  }
  /// R at λ = 0: −W⁻¹ b.
  [[nodiscard]] Eigen::Vector3d sticking(const TangentFrame& f) const noexcept {
    const double x = -a[0] * f.inverse_determinant;
    const double y = -a[1] * f.inverse_determinant;
    return {f.cosine * x + f.sine * y, f.cosine * y - f.sine * x, q0 * f.inverse_determinant};
  }
};

}  // namespace locdyn::detail
