#pragma once
// The one-contact law in 2D: rows t1 and n, the row t2 unused. Open, stick and the two slides are closed forms. With
// S = W_tt − W_tn W_nt / W_nn and c = b_t − W_tn b_n / W_nn the tangent reaction is −c / (S + λ), so its sign is that
// of −c, and there is one slide to try.

#include <algorithm>
#include <cmath>
#include <limits>
#include <locdyn/solver/local/contact_block.hpp>

namespace locdyn::detail {

namespace planar {

/// R of a slide towards d = ±1: U_n = 0, R_t = μ R_n d.
[[nodiscard]] inline Eigen::Vector3d slide(const Eigen::Matrix3d& W, double friction, const Eigen::Vector3d& b,
                                           double d) noexcept {
  const double normal = -b[2] / (W(2, 2) + friction * d * W(2, 0));
  return {friction * d * normal, 0, normal};
}

/// Refines a stick by the factor that gave it, R ← R − W̃⁻¹ (W R + b), while U falls and R stays in the cone. Most need
/// none.
[[nodiscard]] inline Eigen::Vector3d refine(const Eigen::Matrix3d& W, double friction, const Eigen::Vector3d& b,
                                            double S, Eigen::Vector3d R) noexcept {
  const auto left = [&](const Eigen::Vector3d& r) {
    return Eigen::Vector3d(b[0] + (W(0, 0) * r[0] + W(0, 2) * r[2]), 0, b[2] + (W(2, 0) * r[0] + W(2, 2) * r[2]));
  };
  const auto size = [&](const Eigen::Vector3d& e) { return (1 + friction) * (std::abs(e[0]) + std::abs(e[2])); };
  Eigen::Vector3d e = left(R);
  for (int k = 0; k < 3 && size(e) > 3e-13 * (std::abs(b[0]) + std::abs(b[2])); ++k) {
    const double tangent = (W(0, 2) * e[2] / W(2, 2) - e[0]) / S;
    const Eigen::Vector3d next = R + Eigen::Vector3d(tangent, 0, -(e[2] + W(2, 0) * tangent) / W(2, 2));
    const Eigen::Vector3d next_left = left(next);
    if (!(size(next_left) < size(e) && std::abs(next[0]) <= friction * next[2])) break;
    R = next;
    e = next_left;
  }
  return R;
}

}  // namespace planar

/// R (3, R_t2 = 0) from W (3×3 with the row and the column t2 zero), μ ≥ 0 and b (3, σ included; b_t2 is not read).
/// The natural map, with ρ = 2 / tr W, is at most 1e-12 ‖b‖ + 8 ε ‖W‖ ‖R‖ where the symmetric part of W is positive
/// semidefinite to rounding; else the best of the four candidates is returned. Cost: about six block products.
[[nodiscard]] inline ContactSolution solve_planar_contact(const Eigen::Matrix3d& W, double friction,
                                                          const Eigen::Vector3d& b) noexcept {
  if (b[2] >= 0) return {Eigen::Vector3d::Zero(), ContactPath::open};
  const double k = W(0, 2) / W(2, 2);
  const double c = b[0] - k * b[2];
  const double rounding = std::numeric_limits<double>::epsilon() * (std::abs(W(0, 0)) + std::abs(k * W(2, 0)));
  double S = W(0, 0) - k * W(2, 0);

  if (W(2, 2) > 0 && S >= -8 * rounding) {
    if (friction == 0) return {{0, 0, -b[2] / W(2, 2)}, ContactPath::frictionless};
    S = std::max(S, 0.5 * rounding);
    const double q = (W(2, 0) * c - b[2] * S) / W(2, 2);  // R_n S of the stick
    if (std::abs(c) <= friction * q) {
      // The numbers that the test saw, so that R stays in the cone where S is rounding alone; no row at all where S =
      // 0.
      if (!(S > 0)) return {{0, 0, -b[2] / W(2, 2)}, ContactPath::stick};
      return {planar::refine(W, friction, b, S, {-c / S, 0, q / S}), ContactPath::stick};
    }
    return {planar::slide(W, friction, b, c > 0 ? -1 : 1), ContactPath::newton};
  }

  // W has no sign: every candidate is judged.
  const double trace = W.trace();
  const double rho = trace > 0 ? 2 / trace : 1;
  const Eigen::Vector3d plane(b[0], 0, b[2]);
  ContactSolution best{Eigen::Vector3d::Zero(), ContactPath::warm_start};
  double least = natural_map(W, friction, rho, plane, best.R);
  const auto offer = [&](const Eigen::Vector3d& R, ContactPath path) {
    const double residual = natural_map(W, friction, rho, plane, R);
    if (residual < least && R.allFinite()) {
      least = residual;
      best = {R, path};
    }
  };
  offer({-c / S, 0, (W(2, 0) * c / S - b[2]) / W(2, 2)}, ContactPath::stick);
  offer(planar::slide(W, friction, b, 1), ContactPath::newton);
  offer(planar::slide(W, friction, b, -1), ContactPath::newton);
  return best;
}

}  // namespace locdyn::detail
