#pragma once
// The step solver over ranks: proximal semismooth Newton, the method of one machine (solver/newton), whose rows, laws,
// line search and proximal weights these are. What it asks of all rows together, their residual, U and sums, comes from
// the sweeps; its linear systems, in the space of velocities, are PETSc's (velocity_operator). As with ADMM ranks show
// in the last bits.
//
// Source: as newton.hpp.

#include <locdyn/distributed/distributed_sweeps.hpp>
#include <locdyn/distributed/second_order/velocity_operator.hpp>

namespace locdyn::distributed {

struct DistributedNewtonOptions {
  double tolerance = 1e-8;  ///< on `scaled`, > 0; met also at its rounding floor
  long max_steps = 20'000;  ///< linear solves, ≥ 0
  long first_sweeps = 200;  ///< exact sweeps before the first linear solve, ≥ 0
  long patience = 1000;     ///< steps in which the best residual must halve, else it has stalled, ≥ 1
  LinearOptions linear = {.tolerance = 1e-10};
};

/// Of `DistributedReport`, `sweeps` is steps. The same on all ranks but for the seconds.
struct DistributedNewtonReport : DistributedReport {
  LinearMethod method = LinearMethod::automatic;  ///< that solved
  std::uint64_t unknowns = 0;
  long linear_iterations = 0;   ///< of GMRES, all steps together
  double direct_megabytes = 0;  ///< MUMPS's forecast for the rank with most; 0 where it was not asked
};

/// Solves until the residual meets the tolerance, the limit comes first or nothing is gained; the best R found is left
/// in the graph with its U. Collective. All ranks throw std::invalid_argument for options out of range.
[[nodiscard]] DistributedNewtonReport solve_distributed_newton(DistributedGraph& graph,
                                                               const DistributedNewtonOptions& options = {});

}  // namespace locdyn::distributed
