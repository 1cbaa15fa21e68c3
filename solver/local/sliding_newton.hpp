#pragma once
// Sliding as one equation in λ, U_t = −λ R_t, for a contact that does not stick:
//
//   G(λ) = ‖v(λ)‖ − μ q(λ) = 0,   q(λ) = β p(λ) + m·v(λ)      (R_n p = q; tangent_frame.hpp)
//
// G has no poles, G(0) > 0 since the stick is outside the cone, and G → −∞: where p > 0 a root always exists, and
// ‖v‖ ≤ λ ‖c‖ + x₀ + y, x₀ = c·a/‖c‖, y = |c × a|/‖c‖, makes the one positive root of a quadratic an upper bound.
// Newton from there, kept inside the bracket, goes down to the largest root.

#include <locdyn/solver/local/tangent_frame.hpp>

namespace locdyn::detail {

struct SlidingRoot {
  double x, y;    ///< the direction d of R_t in (t1, t2), ‖d‖ = 1
  double lambda;  ///< −U_t = λ R_t, λ > 0
  double size;    ///< ‖v(λ)‖ = p(λ) ‖R_t‖
  int iterations;
};

/// The direction in which a contact slides that is neither open nor sticks: b_n < 0, W regular, μ > 0. λ to about 1e-10
/// of its size. Cost: about ten block products an iteration, four to six of them as a rule, at most 200.
[[nodiscard]] SlidingRoot sliding_newton(const TangentFrame& frame, const TangentLoad& load, double friction) noexcept;

}  // namespace locdyn::detail
