#pragma once
// The balance of an engine by superposition over a turn: the acceleration of a piston comes from a slider-crank, a
// mechanism of bodies and joints led once around by its crank; every cylinder adds its force −m ẍ d, shifted by φ − β,
// and the orders of the sums are found by a fast Fourier transform.

#include <Eigen/Core>

#include <locdyn/mechanism/engine/engine.hpp>
#include <locdyn/mechanism/engine/harmonics.hpp>

namespace locdyn {

/// Of one turn of the shaft.
struct TimeBalanceOptions {
  double speed = 1;       ///< ω [rad/s]
  int highest_order = 8;  ///< K >= 0, below half the samples
  int samples = 360;      ///< N >= 8 a turn; each φ − β must be a whole number of them
};

/// What shakes the engine over a turn.
struct TimeBalance {
  Eigen::VectorXd angle;      ///< θ (N) [rad], from 0
  Eigen::Matrix2Xd force;     ///< F (2×N) [N]
  Eigen::Matrix2Xd couple;    ///< M (2×N) [N m]
  EngineHarmonics harmonics;  ///< of both
};

/// Throws std::invalid_argument as `validate` does, naming the option out of range, and the cylinder that falls between
/// samples; std::runtime_error where a slider-crank does not turn. Cost: about five small sparse factorisations for
/// each sample of each slider-crank that differs from those before.
[[nodiscard]] TimeBalance balance_in_time(const Engine& engine, const TimeBalanceOptions& options = {});

/// ẍ (N) [m/s²] of the piston at ψ = 2π j/N, by that mechanism. Throws as `balance_in_time` does.
[[nodiscard]] Eigen::VectorXd piston_accelerations(const EngineCylinder& cylinder, double speed, int samples);

}  // namespace locdyn
