#pragma once
// A Gauss–Seidel sweep without the blocks of W, for graphs that come from bodies: the velocities that the reactions
// have given the bodies are kept up to date, so that a visit costs the same whatever the neighbours,
//
//   U_α = B_α + Σ_k H_αk v_k,   b = U_α + σ − W_αα R_α,   R_α by its law,   v_k += h A_k⁻¹ H_αkᵀ ΔR_α.
//
// With A = L Lᵀ and v̂ = Lᵀ v / √h both products use the same Ĥ = √h H L⁻ᵀ, W = Ĥ Ĥᵀ: half the memory, no inertia in the
// loop. A contact of rigid bodies has ± the frame as its linear part, scaled by √(h/m): 27 numbers for both bodies. The
// iterates are those of `GaussSeidelSweep` in the same order, to rounding. Contacts of rigid bodies are what it is made
// for: they alone are packed by four and know no other law; whatever else it sweeps is one general row. Where a contact
// rolls its iterates are others: force, moment of rolling and moment of torsion are solved one after the other, each
// for what the others are, so that the force goes by four with those of other contacts.
//
// Source: Moreau (1999) and Jean (1999) for the sweep; without W: Erleben, ACM TOG 26 (2007) art. 12.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/ldy/arena.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/local/law_block.hpp>
#include <locdyn/solver/nsgs/rigid_contact.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>
#include <locdyn/solver/nsgs/wide_contact.hpp>

namespace locdyn::detail {

class VelocitySweep {
 public:
  /// Prepares every constraint of `schedule` for the graph as it is, and takes R from it; a schedule may leave out
  /// whole islands; insertions, removals and updates make it void. `ldy` outlives it. Throws std::invalid_argument
  /// where the graph does not know its factor, or an inertia is not positive definite. Cost: about 40 block products a
  /// row, on so many threads. `exactness`: what visits by four may leave of a sliding contact's law, of ‖b‖.
  VelocitySweep(LocalDynamics& ldy, SweepSchedule schedule, int threads = 1, double exactness = kExact);
  static constexpr double kExact = 1e-13;
  /// What sweeps towards a scaled residual of `tolerance` ask for.
  [[nodiscard]] static double exactness_for(double tolerance) noexcept;

  /// R from the graph, and the velocities that it gives the bodies: rounding does not drift beyond what was swept
  /// since.
  void read_reactions(int threads = 1);
  /// R of these constraints alone from the graph, where the others are as they were written last; constraints of their
  /// bodies are visited next. Cost: that of one visit each, and the first time a pass over the schedule.
  void read_reactions_of(std::span<const ConstraintId> constraints, int threads = 1);
  /// Constraints that it leaves out act on as they do in the graph, where R is as it was read and U = B + W R that of
  /// all: what its own R do not explain of U − B becomes load. Once. Cost: half a sweep.
  void hold_the_rest(int threads = 1);
  /// R into the graph.
  void write_reactions(int threads = 1) const;
  /// U = B + Σ H v into the graph, from the velocities as they are.
  void write_velocities(int threads = 1) const;
  /// 3×3 block times vector products since the sweep was made.
  [[nodiscard]] double products() const noexcept;

  /// One sweep with over-relaxation ω; as `GaussSeidelSweep::run`. The bits do not depend on `threads`.
  double run(SweepDirection direction, double relaxation, int threads = 1);
  /// A sweep's worth of visits to the constraints that have seen changes: a body passes on what each of its
  /// constraints moved. Otherwise as `GaussSeidelSweep::run_active`.
  double run_active(double relaxation, int threads = 1);
  /// Says that all R have been changed by somebody else: every constraint is visited next.
  void activate_all() noexcept { least_change_ = 0; }
  /// R ← R + share (R − R before), R before being what this found the last time, and the velocities likewise; nothing
  /// moves the first time. Cost: one pass over R and the velocities, a tenth of a sweep.
  void carry_on(double share, int threads = 1);
  /// Parts of the constraints that share no body, by place in the schedule's sequence, numbered from 0. All are open at
  /// first.
  void divide(std::vector<Index> part);
  /// One sweep forward of the open parts. relaxation (by part): ω; change2 (by part): ‖ΔR‖² / ρ² of each, what it held
  /// before is lost; that of closed parts means nothing.
  void run_parts(std::span<const double> relaxation, std::span<double> change2);
  /// `carry_on`, by a share for each part.
  void carry_parts_on(std::span<const double> share);
  /// Closes parts (by part: 0 stays as it is): those are no more visited, but where a contact of an open part goes by
  /// four with theirs.
  void close_parts(std::span<const std::uint8_t> closed);

  // --- batches one by one, for whoever sweeps a part of a graph and knows when (distributed/) ---

  /// One sweep forward of these batches of the schedule, in that order: ‖ΔR‖² / ρ² of theirs.
  double run_batches(std::span<const Index> batches, double relaxation);
  /// From here on the velocities of bodies are fetched ahead: where neighbours in the sequence are none in space, as
  /// the batches of one colour. The bits are the same.
  void fetch_bodies_ahead() noexcept { fetches_bodies_ = true; }
  /// No reaction has moved a body; then R of these batches from the graph, which moves theirs. `read_reactions` is the
  /// first and then the second of all batches, forward.
  void forget_velocities();
  void read_batch(Index batch);
  /// The numbers of all bodies, in lines of eight (`SweptVelocity`), the first line nobody's; in the row of a group of
  /// the graph's factor, which the schedule visits, its first line.
  [[nodiscard]] std::span<double> velocity_lines() noexcept { return {velocity_.data(), velocity_.size()}; }
  [[nodiscard]] std::uint64_t first_line(std::uint32_t group) const { return line_of_[group]; }

  /// Constraints visited since the sweep was made.
  [[nodiscard]] double visits() const noexcept { return visits_; }

  /// Bytes that one sweep reads or writes, each counted once.
  [[nodiscard]] double bytes() const noexcept;

 private:
  // Any other constraint: one row a block of its law.
  struct Coupled {
    std::uint64_t velocity;  // place of the body's numbers
    std::uint64_t H;         // place of Ĥ (3×n)
    Index n;
  };
  struct Row {
    Eigen::Vector3d load, R;
    Index first, last;  // couplings
  };
  enum class Kind : std::uint8_t { four, rigid_contact, contact, planar, other };
  struct Constraint {
    Index row, prepared;
    std::uint8_t blocks;
    double inverse_rho;
    ConstraintId id;
    std::size_t own_W = 0;                                 // of another law: where W of its rows begins
    Eigen::Vector3d compliance = Eigen::Vector3d::Zero();  // C of a contact, which its block's W has in it
  };
  struct Step {
    Index at;  // in wide_, rigid_ or constraints_
    Kind kind;
  };
  // Rolling and torsional friction of a contact, visited right behind its force.
  struct Moment {
    Index row;
    double rolling, torsional;  // radii over R_n
    double inverse_rho;
    Eigen::Vector3d used;  // 1, and 0 in rows that the law does not use, which have a unit of their own in W
    Eigen::Matrix3d W;
  };
  // What a constraint knows of its bodies' counters.
  struct Watcher {
    double seen;        // their sum after its last visit [m/s]
    Index first, last;  // its bodies, in watched_
  };

  // What a constraint may be visited as.
  enum class Fit : std::uint8_t { general, alone, four };
  // Of the sequence: its first row, and that row's couplings, those of all its rows.
  struct Place {
    const DiagonalBlock* row;
    std::span<const Coupling> couplings;
    Fit fit;
  };
  class Builder;
  struct Pass {
    SweepDirection direction;
    double relaxation;
    bool active_only;  // visits only those whose bodies have moved
  };
  struct Sum {
    double change2 = 0, visited = 0;
  };

  void add_constraint(ConstraintId id, const Builder& builder);
  void lay_out_steps(std::span<const Place> places, const Builder& builder);
  [[nodiscard]] static bool makes_four(std::span<const Place> places);
  void pack_step(std::int64_t step, std::span<const Place> places, const Builder& builder);
  [[nodiscard]] bool is_rigid_contact(const Place& place, const Builder& builder) const;
  void pack_rigid(const Place& place, const Builder& builder, RigidContact& packed) const;
  [[nodiscard]] Index add_row(ConstraintId id, int block, const Builder& builder);
  void add_moments(const Builder& builder);
  [[nodiscard]] Eigen::Matrix3d product(const Row& a, const Row& b) const;
  double visit(const Step& step, double relaxation);
  void visit_four(Index at, const double* relaxation, double* change2);
  template <class Take>
  void for_each_moment(Index step, const Take& take) const;
  [[nodiscard]] double normal_reaction(const Step& step, std::size_t lane) const;
  double visit_moment(const Moment& moment, double normal, double relaxation);
  double visit_moments(Index step, double relaxation);
  double visit_general(const Constraint& constraint, Kind kind, double relaxation);
  void solve_other(const Constraint& constraint, double relaxation, std::span<Eigen::Vector3d> R) const;
  [[nodiscard]] Eigen::Vector3d motion(const Row& row) const;
  void push(const Row& row, const Eigen::Vector3d& change);
  double visit_rigid(RigidContact& contact, double relaxation);
  void sweep_batch(Index batch, const Pass& pass, Sum& sum);
  void sweep_batch_anywhere(Index batch, const Pass& pass, Sum& sum);
#if defined(__x86_64__)
  void sweep_batch_avx2(Index batch, const Pass& pass, Sum& sum);
#endif
  Sum sweep_all(const Pass& pass, int threads);
  void sweep_parts_anywhere(std::span<const double> relaxation, std::span<double> change2);
#if defined(__x86_64__)
  void sweep_parts_avx2(std::span<const double> relaxation, std::span<double> change2);
#endif
  [[nodiscard]] double change_seen_by(const Watcher& watcher) const;
  template <bool only_difference>
  void read_step(Index step);
  template <class Take>
  void for_each_motion(Index step, const Take& take) const;
  void find_steps();
  void find_watchers();
  void begin_to_carry();
  void begin_to_correct();
  void correct_what_was_carried();
  void find_part_of_lines();
  void carry_parts_anywhere(std::span<const double> share);
#if defined(__x86_64__)
  void carry_parts_avx2(std::span<const double> share);
#endif

  LocalDynamics& ldy_;
  SweepSchedule schedule_;
  std::vector<Step> steps_;
  std::vector<Index> step_at_;     // by step: its first constraint in the sequence
  std::vector<Index> first_step_;  // by batch, one more at the end
  std::vector<Index> step_of_;     // by id, once it is asked for
  std::vector<char> changed_;      // by step: R in the graph is another, while it is read
  Arena<WideContact> wide_;
  Arena<WideReaction> wide_R_;
  Arena<WideCompliance> wide_C_;  // empty where nothing gives way
  Arena<RigidContact> rigid_;
  std::vector<Eigen::Vector3d> rigid_C_;  // C of each, empty where nothing gives way
  std::vector<Constraint> constraints_;
  std::vector<Row> rows_;
  std::vector<Coupled> coupled_;
  std::vector<double> H_;
  std::vector<ContactBlock> contacts_;
  std::vector<LawBlock> others_;
  std::vector<double> own_W_;  // W of the rows of each of these
  std::vector<Moment> moments_;
  std::vector<Index> moment_at_;         // by place in the sequence, kNone without; empty where nothing rolls
  Arena<double> velocity_;               // of all bodies in whole cache lines; a rigid one is a SweptVelocity
  std::vector<std::uint64_t> scale_at_;  // where the scales of rigid bodies lie in it
  std::vector<std::uint64_t> line_of_;   // by group of the factor
  std::vector<Sum> sums_;                // by batch
  std::vector<Watcher> watchers_;        // by step, once somebody asks what has moved
  std::vector<Index> watched_;           // by group of the factor: bodies of the watchers
  std::vector<double> moved_;            // by group: changes of its constraints so far [m/s]
  std::vector<Index> part_;              // by place in the sequence
  std::vector<Index> part_of_line_;      // by line of velocity_, once parts are carried on
  std::vector<Index> open_;              // steps
  // What was carried on last, before it was.
  Arena<WideReaction> wide_before_;
  std::vector<std::array<double, 3>> rigid_before_;
  std::vector<Eigen::Vector3d> row_before_;
  Arena<double> velocity_before_;
  double least_change_ = 0;
  double visits_ = 0;
  double exactness_;
  bool fetches_bodies_ = false;
};

}  // namespace locdyn::detail
