#pragma once
// What shakes an engine, by orders: as many turns for each of the shaft,
//
//   F(θ) = Re Σ_n F_n e^{inθ},   M(θ) = Re Σ_n M_n e^{inθ},   M = Σ z e_z × F
//
// F the force of the moving pistons on the engine, −m ẍ d each, across the shaft (x and y), M its rocking couple about
// the middle of the shaft.

#include <Eigen/Core>
#include <cmath>
#include <complex>

namespace locdyn {

/// The orders 0 … K of force and couple.
struct EngineHarmonics {
  Eigen::Matrix2Xcd force;   ///< F_n (2×(K+1)) [N], column n
  Eigen::Matrix2Xcd couple;  ///< M_n (2×(K+1)) [N m], about x and y
};

/// One order of a vector across the shaft as two that rotate, each of constant size: x + iy = forward e^{inθ} +
/// backward e^{−inθ}, n > 0. Where one of them is zero a balance shaft or weight takes the other away.
struct RotatingPair {
  std::complex<double> forward, backward;  ///< as complex amplitudes at θ = 0

  /// The largest and the least size over a turn.
  [[nodiscard]] double largest() const { return std::abs(forward) + std::abs(backward); }
  [[nodiscard]] double least() const { return std::abs(std::abs(forward) - std::abs(backward)); }
};

/// Of a column of `EngineHarmonics`.
[[nodiscard]] inline RotatingPair rotating(const Eigen::Ref<const Eigen::Vector2cd>& order) {
  const std::complex<double> i(0, 1);
  return {0.5 * (order[0] + i * order[1]), 0.5 * (std::conj(order[0]) + i * std::conj(order[1]))};
}

}  // namespace locdyn
