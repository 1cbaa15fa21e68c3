#pragma once
// One judge for all solvers: residuals from W, b, R and the laws alone. With b = B + σ, U = B + W R, Û as the law
// says and D = diag(ρ_α), ρ_α = d / tr W_αα (d rows in use):
//
//   scaled   = ‖D⁻¹(R − P_K(R − D Û))‖₂ / ‖b‖₂      a velocity over a velocity: the one that counts
//   absolute = ‖R − P_K(R − Û)‖₂,  relative = absolute / ‖b‖₂      (ρ = 1: published FCLIB profiles)
//
// Moments count over the length ℓ of their contact (laws/rolling_law.hpp), in `absolute` and `relative` too.
// Where ‖b‖ = 0 nothing is divided. Source: Acary, Brémond & Huber (2018) §3; the scaling is the project's own.

#include <span>
#include <vector>

#include <locdyn/ldy/islands.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

struct Residual {
  double scaled = 0;    ///< of ‖b‖
  double relative = 0;  ///< of ‖b‖, as other programs measure it
  double absolute = 0;  ///< [m/s]
  double floor = 0;     ///< 8 ε max_α tr(W_αα) ‖R‖ / ‖b‖: about what rounding of R alone costs `scaled`

  double cone = 0;             ///< largest ‖R_t‖ − μ R_n or −R_n over contacts [N]
  double penetration = 0;      ///< largest −(U_n + σ_n) over contacts [m/s]
  double complementarity = 0;  ///< largest |R_n (U_n + σ_n)| over contacts [W]
  ConstraintId worst{kNone};   ///< the constraint that contributes most to `scaled`; kNone where there is none
};

/// Evaluates every field for the R that the graph holds; leaves U = B + W R in the graph on the way.
/// Rows that a law does not use count nothing, whatever their B holds, and get U = 0. A law of several blocks is scaled
/// as a whole by ρ of its first. Throws std::invalid_argument for threads < 1.
/// Cost: one product W R (`update_velocities`). The same bits for any number of threads.
[[nodiscard]] Residual evaluate_residual(LocalDynamics& ldy, int threads = 1);

/// The same with U as it lies in the graph, for whoever keeps U = B + W R by other means than the blocks of W. Cost:
/// one pass over the rows.
[[nodiscard]] Residual residual_of_velocities(LocalDynamics& ldy, int threads = 1);

/// `evaluate_residual` of each island by itself, with its own ‖b‖. Errors, cost and what it leaves in U are the same.
[[nodiscard]] std::vector<Residual> evaluate_residuals(LocalDynamics& ldy, const Islands& islands, int threads = 1);

/// `residual_of_velocities` of parts of the graph, each with its own ‖b‖. Errors are the same; cost: one pass over
/// them.
[[nodiscard]] std::vector<Residual> residuals_of_velocities(LocalDynamics& ldy,
                                                            std::span<const std::span<const ConstraintId>> parts,
                                                            int threads = 1);

/// The largest |U + σ + C R| of bilateral rows in use [m/s], U and R as they lie in the graph: how well joints hold. 0
/// where there are none.
[[nodiscard]] double joint_velocity_error(const LocalDynamics& ldy);

/// What one constraint adds to the numerator of `scaled`, squared: ‖D⁻¹(R − P_K(R − D Û))‖² [velocity²], for R and U as
/// they lie in the graph.
[[nodiscard]] double scaled_residual2(const LocalDynamics& ldy, ConstraintId id);

/// ρ = d / tr W_αα of one diagonal block with d rows in use; 1 where the trace is not positive.
[[nodiscard]] double row_scale(const Eigen::Matrix3d& W, RowMask rows) noexcept;

}  // namespace locdyn
