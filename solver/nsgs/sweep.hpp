#pragma once
// One nonsmooth Gauss–Seidel sweep: at each constraint in turn, the load b = B + σ + Σ_β≠α W_αβ R_β of its
// neighbours' latest reactions, and the law solved exactly for its own R. The laws are prepared once, in sweep order.
//
// A residual soon sits in few places: a sliding body, a cluster that hardly contracts. `run_active` therefore visits
// those constraints alone whose neighbours have moved since, so that the work goes where the change is.
//
// Source: Moreau (1999); Jean, CMAME 177 (1999) 235–257; Acary, Brémond & Huber (2018) §4.3.

#include <span>
#include <utility>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/local/law_block.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>

namespace locdyn::detail {

class GaussSeidelSweep {
 public:
  /// Prepares every constraint's law for the graph as it is, in its own order; insertions and removals make it void.
  /// `ldy` outlives it.
  explicit GaussSeidelSweep(LocalDynamics& ldy) : GaussSeidelSweep(ldy, serial_schedule(ldy), 1) {}
  /// In the order of `schedule`, batches of one colour on so many threads: the same bits on any number.
  GaussSeidelSweep(LocalDynamics& ldy, SweepSchedule schedule, int threads);

  /// One sweep with over-relaxation ω: R ← P_K(R + ω (R_new − R)). Returns ‖D ΔR‖₂ [velocity], which tends to the
  /// numerator of the scaled residual. Cost: one product W R and a local solve for each constraint; no allocation.
  double run(SweepDirection direction, double relaxation);

  /// A sweep's worth of visits, forwards and again and again, to the constraints that have seen changes: what a
  /// neighbour moved, ‖D ΔR‖ added up since the last visit, must reach the root mean square change of the pass before.
  /// A pass that finds none is followed by one over all, so every constraint is visited for ever and the limit is that
  /// of `run`. Returns ‖D ΔR‖₂ of the last pass and of what it left out. Cost: that of `run`; it passes by the others
  /// at the cost of a comparison. Coloured it is `run`: who has seen what would depend on who came first.
  double run_active(double relaxation);
  /// Says that the R of these constraints has been changed by somebody else: their neighbours are visited next.
  void activate_neighbours(std::span<const ConstraintId> constraints);
  /// Says that all R have been changed by somebody else: every constraint is visited next.
  void activate_all() noexcept { least_change_ = 0; }
  /// Constraints visited since the sweep was made.
  [[nodiscard]] double visits() const noexcept { return visits_; }
  /// Products of blocks since the sweep was made: those of visits, and what laws took that are solved by a search.
  /// Cost: one pass over these.
  [[nodiscard]] double products() const noexcept;

 private:
  // A constraint as the sweep meets it: hot data alone, in sweep order.
  struct Step {
    Index place;     // its first row
    Index prepared;  // its block among contacts_ or others_
    bool coulomb;    // in contacts_
    std::uint8_t blocks;
    double inverse_rho;
    Eigen::Vector3d shift;  // σ of the first block
  };

  void prepare();
  [[nodiscard]] Eigen::Vector3d load(const DiagonalBlock& row) const;
  double solve_contact(const Step& step, double relaxation);
  double solve_blocks(const Step& step, double relaxation);
  [[nodiscard]] Eigen::MatrixXd blocks_of(ConstraintId id, const Step& step);
  double solve(const Step& step, double relaxation);
  void track_changes();
  void tell_neighbours(Index first, Index blocks, double change);

  LocalDynamics& ldy_;
  SweepSchedule schedule_;
  int threads_;
  std::vector<double> change2_;  // by batch: ‖D ΔR‖² of a sweep
  std::vector<Step> steps_;
  std::vector<ContactBlock> contacts_;  // what most constraints are, kept apart: the sweep streams through them
  std::vector<LawBlock> others_;
  std::vector<long> searched_;          // by place in others_: products of blocks in its own solves
  std::vector<double> pending_change_;  // by place of a constraint's first row: changes since its last visit [m/s]
  std::vector<Index> first_row_;        // by place: that of the constraint's first row
  double least_change_ = 0;             // what a constraint must have seen to be visited [m/s]
  double visits_ = 0;
  double products_per_visit_ = 0;
};

}  // namespace locdyn::detail
