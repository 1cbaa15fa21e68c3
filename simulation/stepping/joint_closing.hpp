#pragma once
// What joints have come apart in a step, taken back to rounding: the least displacement (in the kinetic metric) that
// closes all hard bilateral rows, by the direct solve of their saddle point,
//
//   A δ − Gᵀ λ = 0,   G δ = −C
//
// with G of mid-step throughout (chord iteration: each gains a factor of about h ‖Ω‖). No velocity changes.
//
// Source: Cline & Pai, ICRA (2003) (post-stabilisation); Hairer & Wanner, Solving ODEs II (1996) §VII.2 (projection).

#include <locdyn/simulation/system.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn::detail {

struct ClosingReport {
  double error = 0;   ///< the largest |C| left [m], angles as lengths of their joints
  double energy = 0;  ///< potential energy added, of bodies [J]
};

class JointClosing {
 public:
  /// At the end of a step whose graph still holds G. Where the joints cannot be closed they stay as they were, and the
  /// report says by how much. Cost: one pass over the joints; where one is open, a sparse factor of all, whose symbolic
  /// analysis is kept.
  ClosingReport close(System& system);

 private:
  // Not refined: what a solve leaves the next iteration closes.
  SaddleSystem saddle_{{.rank_check = RankCheck::never, .max_refinements = 0}};
};

}  // namespace locdyn::detail
