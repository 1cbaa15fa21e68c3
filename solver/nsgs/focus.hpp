#pragma once
// Sweeps where the residual is. Soon most of it is held by few constraints: of the 4000 contacts of a falling pile 20
// to 80 hold nine tenths of its square after 25 sweeps, 150 to 450 all but a hundredth. These, and what else bears on
// their bodies, F, are then swept alone, all else held:
//
//   U_F = Q + W_FF R_F,   Q = U_F − W_FF R_F as the residual found it.
//
// Source: Southwell, Relaxation Methods in Engineering Science (1940); Rüde, Mathematical and Computational Techniques
// for Multilevel Adaptive Methods (1993).

#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>

namespace locdyn::detail {

/// F in the order of the arena; nothing where the residual is spread out, or the graph is small. Reads U = B + W R and
/// R as a residual left them; the graph knows its factor. The same on any number of threads. Cost: two passes over the
/// rows.
[[nodiscard]] std::vector<ConstraintId> find_focus(const LocalDynamics& ldy, int threads = 1);

/// Sweeps with momentum, made for the constraints of F alone, until one changes them by no more than `enough` [m/s] or
/// they have made so many visits, all else held as it is in the graph; then R is in the graph, U is not.
void sweep_focus(VelocitySweep& sweep, double enough, double most_visits, int threads = 1);

}  // namespace locdyn::detail
