#pragma once
// Islands of one graph swept together: their contacts go by four whatever island they belong to, and what a solve of
// each would set up is set up once. An island costs its visits and little more, so that scenes of many small ones step
// at the speed of one large. Large ones are swept alone, each by several threads.

#include <span>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// An island, and how long it is swept.
struct SweptIsland {
  std::span<const ConstraintId> members = {};
  double tolerance = 0;     ///< on its scaled residual: what the sweeps are for
  double small = 0;         ///< it ends with the sweep in which ‖D⁻¹ ΔR‖ is at most this [m/s]
  long most = 0;            ///< or after so many, ≥ 1
  bool momentum = false;    ///< `Momentum`; else over-relaxed as its contraction suggests
  bool to_the_end = false;  ///< else it ends as soon as its contraction promises more than so many
  long sweeps = 0;          ///< on return: how many it took
  bool given_up = false;    ///< on return: it did not end with a small change
};

/// The graph knows its factor, and W's blocks are not there to sweep over.
[[nodiscard]] bool sweeps_together(const LocalDynamics& ldy);

/// Sweeps the islands, none of which shares a constraint or a body with another; R on entry is the warm start, on exit
/// the last iterate, and U = B + W R of the islands is up to date. Returns the block products. Throws what
/// `VelocitySweep` throws. Cost: 40 block products a row and the sweeps. The same bits on any number of threads; the
/// order in which an island's contacts are visited depends on which islands go with it.
[[nodiscard]] double sweep_together(LocalDynamics& ldy, std::span<SweptIsland> islands, int threads);

}  // namespace locdyn::detail
