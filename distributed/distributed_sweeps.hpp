#pragma once
// Nonsmooth Gauss–Seidel sweeps through velocities over many ranks, in one of two ways.
//
//   exact   colour by colour, velocities sent between colours: the iterates are those of one rank, bit for bit, for any
//           number of ranks
//   split   every rank sweeps its constraints with the velocities that it has, then the changes of bodies shared are
//           added up: one exchange a sweep, for few constraints a rank. With relaxation ω each visit takes R + ω ΔR and
//           gives its bodies that and no more, so that R and velocities belong together. It is a Jacobi iteration
//           between ranks: it converges the slower the more constraints act on shared bodies, and depends on the ranks
//
// The judge is that of one machine (ldy/residual): velocities are made anew from R, in the order of the schedule, every
// constraint is judged by its rank, and sums are exact (exact_sum.hpp): the same bits on any number of ranks.
//
// Source: Preclik & Rüde, Comput. Part. Mech. 2 (2015) 173–196 (split); colours: Koziara & Bićanić, IJNME 87 (2011)
// 437–456 for the sweep that Solfec colours by ranks, here by batches.

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include <locdyn/distributed/distributed_graph.hpp>
#include <locdyn/distributed/halo.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include <locdyn/solver/solve_report.hpp>

namespace locdyn::distributed {

enum class SweepMode { exact, split };

struct DistributedOptions {
  double tolerance = 1e-8;    ///< on `scaled`, > 0; met also at its rounding floor
  long max_sweeps = 100'000;  ///< ≥ 0
  SweepMode mode = SweepMode::exact;
  double relaxation = 1;           ///< ω of exact sweeps, in (0, 2)
  double split_relaxation = 0.75;  ///< ω of split ones, in (0, 1]: Preclik & Rüde's
  long stall_window = 3000;        ///< sweeps in which the residual must fall by a hundredth, ≥ 1
};

struct DistributedReport {
  SolveStatus status = SolveStatus::failed;
  std::string reason;  ///< where it is not `converged`
  long sweeps = 0;
  Residual residual;   ///< of the best R found; `worst` is of no use, see below
  GlobalId worst = 0;  ///< constraint that contributes most to `scaled`; the least id of several
  std::vector<SolveReport::Sample> history;
  double seconds = 0;        ///< the whole call, by this rank's clock
  double sweep_seconds = 0;  ///< of it in sweeps
};

/// The same on all ranks but for the seconds.
class DistributedSweeps {
 public:
  /// Collective. `graph` outlives it. All ranks throw std::invalid_argument where an inertia is not positive definite.
  explicit DistributedSweeps(DistributedGraph& graph);

  /// One exact sweep. Collective, as all members.
  void sweep(double relaxation);
  /// One split sweep, to follow `reload` or another.
  void split_sweep(double relaxation);
  /// R from the graph, and velocities from R alone.
  void reload();
  /// R and U into the graph, and the residual of all ranks; velocities are made anew.
  [[nodiscard]] Residual judge();
  /// The same of the R that lies in the graph, which is swept next.
  [[nodiscard]] Residual judge_graph();
  [[nodiscard]] GlobalId worst() const noexcept { return worst_; }

  /// The share of constraints that act on a body which another rank acts on, too; 0 … 1.
  [[nodiscard]] double shared_constraints() const;
  [[nodiscard]] const Halo& halo() const noexcept { return *halo_; }
  [[nodiscard]] detail::VelocitySweep& local() noexcept { return *sweep_; }

 private:
  DistributedGraph& graph_;
  std::unique_ptr<detail::VelocitySweep> sweep_;
  std::unique_ptr<Halo> halo_;
  std::vector<Index> all_batches_;
  std::vector<std::uint64_t> shared_lines_;
  std::vector<double> before_, changes_;  // of all lines
  GlobalId worst_ = 0;
};

/// Sweeps until the residual meets the tolerance, the limit comes first or nothing is gained; the best R found is left
/// in the graph with its U. Collective. All ranks throw std::invalid_argument for options out of range.
[[nodiscard]] DistributedReport solve_distributed(DistributedGraph& graph, const DistributedOptions& options = {});

}  // namespace locdyn::distributed
