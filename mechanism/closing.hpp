#pragma once
// Positions: C(q, t) = 0 for the drives and the time that hold, by damped Newton,
//
//   d = argmin ‖d‖_M  with  G d = −C,   q ← q ⊕ λ d,   λ the first of 1, 1/2, 1/4 … with ‖C(q ⊕ λ d)‖ < (1 − 10⁻⁴ λ)
//   ‖C‖
//
// and no body turning by more than `max_turn` at once. Where that finds nothing, next to a singular position or where
// nothing closes, a step of Levenberg and Marquardt takes its place, d = argmin ‖C + G d‖² + κ ‖d‖²_M: it goes downhill
// as long as there is a way down, so that what is left in the end is a least residual.
//
// Source: Deuflhard, Newton Methods for Nonlinear Problems (2004) §§3.2, 4.4; Nocedal & Wright, Numerical Optimization
// (2006) §10.3.

#include <string>

#include <locdyn/mechanism/mechanism.hpp>

namespace locdyn {

/// When it ends, and how far it goes at once.
struct CloseOptions {
  double tolerance = 1e-11;  ///< of the largest |C| [m], > 0; goes on to rounding once that is met
  int max_iterations = 100;  ///< ≥ 0
  double max_turn = 0.5;     ///< of a body in an iteration, > 0 [rad]
};

/// How it ended.
enum class CloseStatus {
  closed,
  least_residual,  ///< no way down is left: from here it does not close
  max_iterations
};

/// What closing has come to.
struct CloseReport {
  CloseStatus status = CloseStatus::max_iterations;  ///< how it ended
  int iterations = 0;                                ///< factorisations
  int damped = 0;                                    ///< of them with λ < 1
  double residual = 0;                               ///< the largest |C| [m]
  std::string worst_row = {};                        ///< where it is not closed: the row that has it
  /// Where it is not closed: a user's constraint that leads astray (jacobian_check.hpp).
  std::string wrong_jacobian = {};
  double moved = 0;           ///< the largest displacement of a body, iterations added up [m]
  Eigen::Index freedoms = 0;  ///< motions that the rows leave free, as of the last iteration

  /// Did it meet the tolerance?
  [[nodiscard]] bool closed() const noexcept { return status == CloseStatus::closed; }
  /// One line where it is not closed; else empty.
  [[nodiscard]] std::string message() const;
};

/// Moves the bodies to where the mechanism closes, or to the least residual found. Velocities and time stay. Rows posed
/// on velocities alone have no part in it. Throws std::invalid_argument for an option out of range and as
/// `Mechanism::evaluate` does; the bodies are then where they were. Cost: a sparse factorisation for each iteration.
CloseReport close(Mechanism& mechanism, const CloseOptions& options = {});

}  // namespace locdyn
