#pragma once
// The balance of an engine by phasors: with the harmonics of one piston, ẍ = r ω² Re Σ A_n e^{inψ}, and ψ = θ + φ − β,
//
//   F_n = −Σ m r ω² A_n e^{in(φ − β)} d
//
// over the cylinders. Without offset A_1 = −1, the other odd orders vanish, and with λ = r/l
//
//   A_2 = −(λ + λ³/4 + 15 λ⁵/128 + …),   A_4 = λ³/4 + 3 λ⁵/16 + …,   A_6 = −(9 λ⁵/128 + …)
//
// Source: Biezeno & Grammel, Technische Dynamik II (1953) ch. XIII; Maass & Klier (1981).

#include <Eigen/Core>

#include <locdyn/mechanism/engine/engine.hpp>
#include <locdyn/mechanism/engine/harmonics.hpp>

namespace locdyn {

/// A_n (K+1), n = 0 … `highest_order` (K >= 0). To rounding, about n² 1e-16: of x/r the coefficients are found by the
/// trapezoidal rule, which for a periodic analytic function converges geometrically (Trefethen & Weideman, SIAM Review
/// 56 (2014) 385–458), and n² of them are those of ẍ. Throws std::invalid_argument as `validate` does.
[[nodiscard]] Eigen::VectorXcd piston_harmonics(const EngineCylinder& cylinder, int highest_order);

/// Of the series.
struct PhasorBalanceOptions {
  double speed = 1;       ///< ω [rad/s]
  int highest_order = 8;  ///< K >= 0
};

/// Throws std::invalid_argument as `validate` does, and naming the option out of range.
[[nodiscard]] EngineHarmonics balance_phasors(const Engine& engine, const PhasorBalanceOptions& options = {});

}  // namespace locdyn
