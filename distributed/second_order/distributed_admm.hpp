#pragma once
// Alternating directions of multipliers over ranks, in the space of velocities. The iteration is that of one machine
// (solver/convex/admm.hpp), whose linear solve (W + C + D) x = r with D = ρ w² of each row, w² = tr W_αα/d, becomes
//
//   (A/h + Hᵀ K H) y = Hᵀ K r,   x = K (r − H y),   K = (D + C)⁻¹,   y = h A⁻¹ Hᵀ x the change of velocities:
//
// six unknowns a body whatever the contacts, and no block of W between rows, which no rank has. A linear solve carries
// news across the whole of a wall at once, for which sweeps take as many turns as it has courses. Unlike exact sweeps
// it does not give the bits of one rank: the sums of a linear solve depend on where the ranks part.
//
// Source: as admm.hpp; the Woodbury identity.

#include <locdyn/distributed/distributed_sweeps.hpp>
#include <locdyn/distributed/second_order/velocity_operator.hpp>

namespace locdyn::distributed {

struct DistributedAdmmOptions {
  double tolerance = 1e-8;   ///< on `scaled`, > 0; met also at its rounding floor
  long max_steps = 100'000;  ///< linear solves, ≥ 0
  double penalty = 0.1;      ///< ρ at the start, > 0
  double relaxation = 1.6;   ///< ω in (0, 2)
  long patience = 400;       ///< steps in which the best residual must fall by a tenth, else ρ grows, ≥ 1
  bool balance = true;       ///< ρ follows the changes of R and U; else it stays, for measurements
  LinearOptions linear = {};
};

/// Of `DistributedReport`, `sweeps` is steps. The same on all ranks but for the seconds.
struct DistributedAdmmReport : DistributedReport {
  LinearMethod method = LinearMethod::automatic;  ///< that solved
  std::uint64_t unknowns = 0;
  long factorisations = 0;      ///< or set-ups of the preconditioner, one for each ρ
  long linear_iterations = 0;   ///< of conjugate gradients, all steps together
  double direct_megabytes = 0;  ///< MUMPS's forecast for the rank with most; 0 where it was not asked
  double penalty = 0;           ///< ρ at the end
};

/// Solves until the residual meets the tolerance, the limit comes first or nothing is gained; the best R found is left
/// in the graph with its U. Collective. All ranks throw std::invalid_argument for options out of range, and naming a
/// constraint whose law is neither a contact with Coulomb friction nor bilateral.
[[nodiscard]] DistributedAdmmReport solve_distributed_admm(DistributedGraph& graph,
                                                           const DistributedAdmmOptions& options = {});

}  // namespace locdyn::distributed
