#pragma once
// Moves a System step by step with the half-step scheme:
//
//   q* = q ⊕ h/2 u;  contacts at q*;  u_free;  U = B + W R solved;  u⁺ = u_free + A⁻¹ h Σ Hᵀ R;  q⁺ = q* ⊕ h/2 u⁺
//
// The graph changes by insertion and removal of the contacts that come and go; those that stay keep their R.
//
// Source: Moreau (1999) (the scheme); Koziara & Bićanić, IJNME 87 (2011) 437–456.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/contact/contact_point.hpp>
#include <locdyn/simulation/step_report.hpp>
#include <locdyn/simulation/system.hpp>
#include <locdyn/solver/solve_options.hpp>

namespace locdyn {

/// What takes back penetration that is deeper than `slop`.
enum class Correction {
  none,
  projection,  ///< after the step, bodies are moved apart along the normals: no velocity and no kinetic energy comes in
  baumgarte  ///< the contact law asks for a velocity: σ −= α (depth − slop)/h, at most β; joints are left alone
};

/// What is done where a step does not converge. Never silent: the report carries a warning in every case.
enum class OnFailure {
  go_on,  ///< with the best reactions found
  stop,   ///< throws StepFailure; the system is as it was before the step
  halve   ///< the step is done again in 2, 4, 8 parts; if that does not help, as `go_on`
};

/// How steps are taken.
struct TimeStepperOptions {
  double step = 1e-3;  ///< h [s] > 0

  // The contact problem of each step, each island by its own ‖b‖.
  std::string solver = "auto";            ///< a name of `solvers()`
  std::vector<std::string> without = {};  ///< stages that `auto` leaves out: what is each worth?
  /// Limits of each island. Threads serve the whole step, fewer where a trial says that they do not pay. An interrupt
  /// ends the solve with the best reactions, the step reports it and comes to its end. `scaled` is what is measured,
  /// and `max_seconds` stays infinite: no bit of a step depends on the clock, `max_work` and `sweep_budget` limit it.
  StopOptions stop = {};
  /// An island is solved, too, where its residual as a velocity, ‖D⁻¹(R − P_K(R − D Û))‖, is at most this [m/s] ≥ 0.
  double velocity_tolerance = 0;
  /// At most so many Gauss–Seidel sweeps of each island a step, for whoever has so much time and no more: ≥ 0, 0 for as
  /// many as it takes. A step that they end is no failure; its report has the residual reached. As many may take
  /// penetration back where there are contacts alone. Not with pyramids.
  long sweep_budget = 0;
  /// Of all reactions that give the velocities found, those of least norm: forces that do not rattle where contacts
  /// last (solver/solve_islands.hpp says where there are none). An island then costs some hundred factorisations in a
  /// step that solves it. Not with a budget of sweeps nor with pyramids.
  bool least_norm = false;
  OnFailure on_failure = OnFailure::go_on;  ///< what a step does whose solve has not converged

  Correction correction = Correction::projection;  ///< what takes errors of position back
  double slop = 1e-5;                              ///< penetration that is left alone [m] ≥ 0
  double baumgarte_alpha = 0.1;                    ///< α, 0 … 1
  double baumgarte_beta = 0.5;                     ///< β, the largest velocity that it asks for [m/s] ≥ 0

  /// Islands at rest cost nothing until something touches them (stepping/sleeping.hpp: when, and what it neglects).
  bool sleep = true;
};

/// Throws std::invalid_argument naming the field.
void validate(const TimeStepperOptions& options);

/// Thrown by `TimeStepper::step` under `OnFailure::stop`.
class StepFailure : public std::runtime_error {
 public:
  /// Says what the report warns of.
  explicit StepFailure(const StepReport& report) : std::runtime_error(report.warning), report_(report) {}
  /// Of the step that was not taken.
  [[nodiscard]] const StepReport& report() const noexcept { return report_; }

 private:
  StepReport report_;
};

/// A contact of the last step, for output and for whoever asks who touches whom.
struct ActiveContact {
  std::uint64_t identity;    ///< the same for as long as the contact lasts
  ColliderId master, slave;  ///< shapes; the normal points from the first to the second
  ContactPoint point;        ///< at q* of the last step
  Eigen::Vector3d reaction;  ///< R (t1, t2, n) [N], on the slave, in `point.frame`
  Eigen::Vector3d moment;    ///< of rolling and torsional friction (t1, t2, n) [N m], on the slave, in `point.frame`
  Eigen::Vector3d shift;     ///< σ of its law in that step [m/s], in `point.frame`; 0 after `restore`
  bool slips;                ///< the kinetic friction coefficient held
  /// Its relative velocity before and after the step, V and U (t1, t2, n) in `point.frame` [m/s]. V is 0 after
  /// `restore`.
  Eigen::Vector3d velocity_before, velocity;
  ConstraintId constraint{kNone};  ///< in the graph, until the next step; kNone where it sleeps
};

/// All that a run needs beside its System to go on from where it is, bit for bit. Numbers alone, to be written as they
/// are.
struct StepperState {
  double time = 0;                                                     ///< [s]
  std::int64_t step = 0;                                               ///< steps taken
  double accepted_residual = std::numeric_limits<double>::infinity();  ///< of the last solve (solve_islands.hpp)
  std::vector<double> bodies;             ///< configuration and velocity of each body, in order
  std::vector<double> references;         ///< configurations at which the contact geometry was last taken
  std::vector<double> contacts;           ///< tracked contacts
  std::vector<std::uint64_t> identities;  ///< of those, and last the next one to be given
  std::vector<double> reactions;          ///< R of the constraints for life, and what they remember
  std::vector<double> forces;             ///< what applied forces remember
  std::vector<double> sleep;              ///< what sleeps (stepping/sleeping.hpp)
  std::vector<double> broken;             ///< numbers of the broken joints among `System::breakables`, ascending
};

class TimeStepper {
 public:
  /// `system` outlives the stepper and is changed by it alone; bodies, colliders and constraints may still be added
  /// between steps. Throws std::invalid_argument for options out of range and for a solver that does not exist,
  /// std::logic_error where another stepper moves the system already.
  TimeStepper(System& system, const TimeStepperOptions& options);

  /// One step. Throws StepFailure (policy `stop`), std::runtime_error where a body finds no velocity, and
  /// std::invalid_argument where numbers leave the range of double precision or a force has no value. Bodies and time
  /// are then as before the step: exactly under `stop` and `halve` and where there are forces or loads, else to
  /// rounding. Throws std::bad_alloc where memory runs out: as before exactly where the others are, else somewhere
  /// within the step, and whoever kept a `state` can `restore` it. Throws std::logic_error where a step of the system
  /// runs already; then nothing has changed.
  StepReport step();

  /// Where it is [s], the steps taken, and what it was made with.
  [[nodiscard]] double time() const noexcept;
  [[nodiscard]] long steps() const noexcept;
  [[nodiscard]] const TimeStepperOptions& options() const noexcept;
  [[nodiscard]] const System& system() const noexcept;

  /// The contacts of the last step in sweep order, open ones included.
  [[nodiscard]] std::vector<ActiveContact> contacts() const;
  /// The same one by one, for whoever takes some numbers of each and wants no copy.
  void visit_contacts(const std::function<void(const ActiveContact&)>& visit) const;

  /// From now on each step shows the graph that it has solved, its R and U found, before joints that break and islands
  /// that fall asleep leave it; a step in parts shows that of each part. An empty function ends it. `look` must not
  /// touch the system; what it throws is thrown by `step`, as for a body that finds no velocity.
  void on_solved(std::function<void(const LocalDynamics&)> look);

  /// Does the body sleep? Throws std::out_of_range for one that is not there.
  [[nodiscard]] bool sleeps(BodyId body) const;

  /// Where the run is: what `restore` goes on from.
  [[nodiscard]] StepperState state() const;
  /// Goes on from `state`, of a system that was set up in the same way; joints that had broken break. Throws
  /// std::invalid_argument where sizes do not fit, a body refuses its numbers or a joint is broken that was not; then
  /// nothing has changed.
  void restore(const StepperState& state);

  ~TimeStepper();

 private:
  StepReport take_step();
  StepReport advance_in_parts(int count);
  void break_joints(StepReport& report);
  void go_back_to(const StepperState& state);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace locdyn
