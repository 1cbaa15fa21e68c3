#pragma once
// Hertz's contact as a spring of a step: F = K d^{3/2}, alone or behind a linear spring k, which then share the depth,
//
//   d = F/k + (F/K)^{2/3}.
//
// The law of a step is linear in R, so that the spring is taken as its tangent, k_t = dF/dd with the depth
// d − F/k_t at which that begins, at the depth in the middle of the step, which is known: exact at rest, and of second
// order in motion, as the mean depth of a step differs from that by h/4 (U − V). Where a step begins open it is the
// secant through the depth d* that the contact alone would reach in that step,
//
//   d* + h²/2 w F(d*) = −(g + h V),   w the response of the gap to a unit force,
//
// so that one too stiff for the step stops what meets it, as a hard contact does; where it would reach none, but loads
// may press it in, it is a stiff one.
//
// Source: Johnson, Contact Mechanics (1985) §4.2 (K = 4/3 E* √R*); Timoshenko & Goodier, Theory of Elasticity §140.

#include <limits>

#include <locdyn/ldy/laws/compliant_law.hpp>

namespace locdyn {

/// Hertz's spring, and a linear one behind it.
struct HertzSpring {
  double hertz;                                                ///< K > 0 [N/m^{3/2}]
  double stiffness = std::numeric_limits<double>::infinity();  ///< k > 0 [N/m]; infinite: Hertz's alone
};

/// F ≥ 0 [N] at a depth [m]; 0 where that is not positive. Cost: a few of Newton's steps where both springs give.
[[nodiscard]] double force_at(const HertzSpring& spring, double depth);

/// Spring and damper that stand for Hertz's in a step of h [s], with `gap`, V_n and `response` as of `kelvin_voigt`,
/// and `damping` [N s/m]. The stiffness is at least 1e-12 of the one that swings with ω h = 1, so that C is finite.
[[nodiscard]] KelvinVoigt of_step(const HertzSpring& spring, double damping, double h, double gap, double V_n,
                                  double response);

}  // namespace locdyn
