#pragma once
// The motion of a mechanism in steps of one size h.
//
// Generalised-α for constrained systems, with a an auxiliary acceleration:
//
//   q⁺ = q ⊕ (h u + h² (½ − β) a + h² β a⁺),   u⁺ = u + h (1 − γ) a + h γ a⁺
//   (1 − α_m) a⁺ + α_m a = (1 − α_f) u̇⁺ + α_f u̇,   A u̇⁺ = f(q⁺, u⁺, t⁺) + Gᵀ(q⁺) λ⁺,   C(q⁺, t⁺) = 0
//
// α_m = (2ρ − 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = ½ + α_f − α_m, β = ¼ (γ + ½)². Second order in q, u and λ, fast waves
// damped by ρ a step. It starts from a(0) = u̇(α_m − α_f) h later, without which λ is of first order until that has died
// out. Rows posed on velocities alone hold as D u⁺ + d = 0.
//
// The half-step scheme: q* = q ⊕ h/2 u, A (u⁺ − u) = h f(q*) + Gᵀ h λ with G (u + u⁺)/2 + d = 0 at q*, q⁺ = q* ⊕ h/2
// u⁺, then positions and velocities projected. The rows hold for the mean velocity: for u⁺, as in the time steps with
// contact, it would be of first order.
//
// Source: Arnold & Brüls, Multibody Syst. Dyn. 18 (2007) 185–202; Brüls & Cardona, J. Comput. Nonlinear Dyn. 5 (2010)
// 031002 (rotations); Arnold, Brüls & Cardona, Numer. Math. 129 (2015) 149–179 (starts); Koziara & Bićanić, IJNME 81
// (2009) 1073–1092.

#include <functional>

#include <locdyn/mechanism/smooth/accelerations.hpp>
#include <locdyn/mechanism/smooth/motion_error.hpp>

namespace locdyn {

/// Which of the two schemes at the head of this file.
enum class FixedStepScheme { generalised_alpha, half_step };

/// How far, and in which steps.
struct FixedStepOptions {
  double until = 0;  ///< [s], not before the time of the bodies
  double step = 0;   ///< h > 0 [s]; shortened where it does not divide the time
  FixedStepScheme scheme = FixedStepScheme::generalised_alpha;  ///< which one
  double spectral_radius = 0.8;  ///< ρ in [0, 1]: 1 damps nothing, and then errors of λ do not die out
  double tolerance = 1e-13;      ///< of the last correction of positions, > 0 [m]; goes on to there or to rounding
  int max_iterations = 50;       ///< > 0
};

/// The end of a step.
struct FixedStepPoint {
  double time = 0;                    ///< [s]
  Eigen::VectorXd acceleration = {};  ///< u̇ (n); of the half-step scheme the mean over the step
  Eigen::VectorXd multipliers = {};   ///< λ (m) of the step; 0 in rows that repeat others
};
/// Called at the end of each step, the bodies there.
using FixedStepVisit = std::function<void(const FixedStepPoint&)>;

/// What a motion has come to.
struct FixedStepReport {
  long steps = 0, iterations = 0;                 ///< of all, of Newton's over all steps
  double position_error = 0, velocity_error = 0;  ///< the largest |C| [m] and |G u + d| [m/s] at ends of steps
};

/// From where the bodies are and their time on. Newton is without the derivatives of f: it converges where h √(k/m) and
/// h c/m of springs and dampers stay below about 1. Throws std::invalid_argument naming an option out of range or what
/// the mechanism left out; MotionError as `integrate` does, and where a step's equations are not solved. Cost: one
/// factorisation for each iteration, some four a step.
FixedStepReport step_through(Mechanism& mechanism, const AppliedLoads& loads, const FixedStepOptions& options,
                             const FixedStepVisit& visit = {});

}  // namespace locdyn
