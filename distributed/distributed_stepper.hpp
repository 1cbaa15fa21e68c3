#pragma once
// Time steps of a scene over many ranks, by the half-step scheme of `TimeStepper`. Every rank holds the description of
// the scene, a `System`; the motion is spread out: each body that moves has an owner, whose state of it counts.
//
//   owners move their bodies to q* → ghosts of bodies that may touch are sent → every rank detects the contacts of its
//   bodies → contacts become one distributed graph → R comes back, impulses go to the owners → q⁺
//
// A contact belongs to the owner of its moving body of lowest id. Owners are state: a rank is told who owns a ghost and
// computes it from no coordinates. Where the contacts of the busiest rank pass 1.2 times the mean, bodies are spread
// anew along Hilbert's curve, and take their contacts along. Ranks, ghosts and spreading show in no bit: the run is
// that of one rank.
//
// Joints belong to the owner of their moving body of lowest id, too; where their bodies lie is told to all ranks.
//
// Loads are called on every rank: a load looks at the time and at the bodies that it acts on, and at no others, of
// which a rank may know the past alone.
//
// Beside `TimeStepper` it knows less: no joints that break, no forces on all bodies together, nothing sleeps, the
// residual is of the whole and not of islands but for small ones, the solver is sweeps or a method of second order, and
// penetration is taken back by Baumgarte's feedback where the scene asks for projection.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/distributed/distributed_sweeps.hpp>
#include <locdyn/distributed/second_order/distributed_admm.hpp>
#include <locdyn/distributed/second_order/distributed_newton.hpp>
#include <locdyn/distributed/small_islands.hpp>
#include <locdyn/simulation/stepping/applied_forces.hpp>
#include <locdyn/simulation/stepping/contact_horizon.hpp>
#include <locdyn/simulation/stepping/contact_tracker.hpp>
#include <locdyn/simulation/stepping/joint_closing.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn::distributed {

struct DistributedStepOptions {
  /// step, tolerance (`stop`), max_iterations (as sweeps), correction, slop and Baumgarte's numbers count.
  TimeStepperOptions stepping;
  SweepMode mode = SweepMode::exact;
  double split_relaxation = 0.75;
  /// Solves by ADMM instead of sweeps, to the tolerance and iterations of `stepping`: what it says of these itself does
  /// not count. Ranks then show in the last bits.
  std::optional<DistributedAdmmOptions> admm = {};
  /// The same by Newton's method, where ADMM is not asked for.
  std::optional<DistributedNewtonOptions> newton = {};
  /// Islands of at most so many constraints are solved whole, each by `auto` of one machine; the rest as above. 0:
  /// none.
  std::uint64_t small_islands = 0;
  double largest_imbalance = 1.2;  ///< of the busiest rank over the mean, > 1: beyond it bodies are spread anew
  long spread_every = 0;           ///< steps after which they are in any case; 0: never, for tests
};

/// The same on all ranks and for any number of them, but for the last four.
struct DistributedStepReport {
  long step = 0;
  double time = 0;  ///< [s], at the end
  SolveStatus status = SolveStatus::converged;
  long sweeps = 0;      ///< or steps of what solves the rest
  double residual = 0;  ///< of the rest, or of a small island where that is larger
  std::uint64_t bodies = 0, contacts = 0;
  std::uint64_t small_islands = 0;                     ///< that were solved whole
  double kinetic_energy = 0;                           ///< [J]
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero();  ///< [kg m/s]
  double penetration = 0;                              ///< the deepest [m]
  std::uint64_t state = 0;                             ///< a hash of all configurations and velocities, bit for bit
  double joint_error = 0;                              ///< largest error of position left in a joint [m]
  std::uint64_t reactions = 0;                         ///< the same of R, each by the name of its contact or joint

  std::uint64_t ghosts = 0;   ///< over all ranks
  std::uint64_t crossed = 0;  ///< bodies that changed their owner after the step
  double imbalance = 1;       ///< contacts of the busiest rank over the mean
  double seconds = 0;         ///< of this rank
};

class DistributedStepper {
 public:
  /// Collective. `system` is the same on all ranks and outlives the stepper. All ranks throw std::invalid_argument for
  /// options out of range and for what a step does not know, naming it.
  DistributedStepper(MPI_Comm comm, System& system, const DistributedStepOptions& options);

  /// One step. Collective. Where a rank throws all throw std::invalid_argument with its line, and bodies are, to
  /// rounding, where they were before.
  DistributedStepReport step();

  [[nodiscard]] double time() const noexcept { return time_; }
  [[nodiscard]] long steps() const noexcept { return steps_; }
  /// This rank's, ascending.
  [[nodiscard]] std::span<const BodyId> own() const noexcept { return own_; }

  /// This rank's share of what a file of all ranks holds (io/output/file_group.hpp). Its system gets the state of the
  /// bodies, and of the bodies of the colliders, in its slices of their ids; returned are the contacts of the last step
  /// whose first collider is in its slice: those of rank 0, then of rank 1, … are all in global order. Collective.
  [[nodiscard]] std::vector<ActiveContact> frame_part();
  /// The same of the run as numbers: the lists of rank 0, then those of rank 1, … are those of the whole, the same on
  /// any number of ranks. Collective.
  [[nodiscard]] StepperState state_part();
  /// Goes on from a whole state, the same on all ranks, on any number of them. Collective. All ranks throw
  /// std::invalid_argument where it does not fit the system.
  void restore(const StepperState& state);

 private:
  using TrackedContact = detail::TrackedContact;
  void check_system() const;
  void advance(double dt);
  void find_contacts(DistributedStepReport& report);
  void send_ghosts(DistributedStepReport& report);
  void solve(DistributedStepReport& report);
  void add_up_reactions(DistributedStepReport& report) const;
  [[nodiscard]] ProblemPart part() const;
  [[nodiscard]] DistributedReport solve_graph(DistributedGraph& graph) const;
  void hand_out_impulses();
  void check_joints() const;
  void find_joint_homes();
  [[nodiscard]] std::vector<std::size_t> own_joints() const;
  void share_joint_reactions();
  void close_joints(DistributedStepReport& report);
  void restore_joints(std::span<const double> saved);
  template <class Visit>
  void each_own_constraint(const Visit& visit) const;
  void find_linked_bodies();
  void share_linked_bodies();
  void apply_forces(std::span<const BodyId> moving);
  void foresee();
  void spread(bool wanted, DistributedStepReport& report);
  void move_bodies(std::span<const std::int32_t> to, DistributedStepReport& report);
  void sum_up(DistributedStepReport& report) const;
  [[nodiscard]] std::vector<TrackedContact> send_to_writers();
  [[nodiscard]] BodyId home(const TrackedContact& contact) const;
  [[nodiscard]] GlobalId name_of(std::size_t contact) const { return names_[contact]; }
  void name_contacts();
  void put_body(Writer& to, BodyId id) const;
  BodyId get_body(Reader& from);

  MPI_Comm comm_;
  System& system_;
  DistributedStepOptions options_;
  detail::AppliedForces applied_;
  std::unique_ptr<detail::ContactTracker> tracker_;
  detail::ContactHorizon horizon_;
  detail::JointClosing closing_;
  std::vector<double> extent_;
  std::vector<BodyId> own_, ghosts_, obstacles_;      // ascending
  std::vector<BodyId> linked_;                        // moving ones that a force or a joint names, ascending
  std::vector<BodyId> joint_homes_;                   // of each constraint for life
  std::vector<std::pair<std::size_t, BodyId>> sent_;  // ranks that have a body of this one as their ghost
  std::vector<std::int32_t> owner_;                   // by body, of those held; −1 else
  std::vector<std::uint8_t> held_, moved_;            // by body
  std::vector<DetectedContact> found_;
  std::vector<GlobalId> names_;  // by contact of the tracker
  bool looked_ = false;          // the detector has seen all bodies
  double time_ = 0;
  long steps_ = 0;
};

}  // namespace locdyn::distributed
