#pragma once
// One step of the scheme (time_stepper.hpp), and what is kept between steps.

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <thread>
#include <vector>

#include <locdyn/simulation/stepping/applied_forces.hpp>
#include <locdyn/simulation/stepping/contact_horizon.hpp>
#include <locdyn/simulation/stepping/contact_tracker.hpp>
#include <locdyn/simulation/stepping/joint_closing.hpp>
#include <locdyn/simulation/stepping/reference_geometry.hpp>
#include <locdyn/simulation/stepping/sleeping.hpp>
#include <locdyn/simulation/time_stepper.hpp>
#include <locdyn/solver/registry.hpp>
#include <locdyn/solver/solve_islands.hpp>
#include <locdyn/threads/trial.hpp>

namespace locdyn::detail {

/// Seconds between calls.
class StageClock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// While it lives a step of the system runs, or it is put back: nothing may be added to it, removed from it, nor may
/// another step begin. Throws std::logic_error naming `what` where one runs already.
class StepRuns {
 public:
  StepRuns(System& system, const char* what) : system_(system) {
    for (std::thread::id none; !system_.step_of_.compare_exchange_strong(none, std::this_thread::get_id()); none = {}) {
      system_.require_between_steps(what);
    }
  }
  ~StepRuns() { system_.step_of_ = std::thread::id(); }
  StepRuns(const StepRuns&) = delete;
  StepRuns& operator=(const StepRuns&) = delete;

 private:
  System& system_;
};

/// The one stepper's place at a system: it keeps contacts in the graph and watches the bodies. Throws std::logic_error
/// where another has it.
class StepperPlace {
 public:
  explicit StepperPlace(System& system);
  ~StepperPlace() { system_.has_stepper_ = false; }
  StepperPlace(const StepperPlace&) = delete;
  StepperPlace& operator=(const StepperPlace&) = delete;

 private:
  System& system_;
};

struct TimeStep {
  TimeStep(System& moved, const TimeStepperOptions& chosen)
      : system(moved),
        place(moved),
        options(chosen),
        solver(find_solver(chosen.solver)),
        choices(chosen.without),
        tracker(moved),
        forces(moved),
        sleeping(moved, tracker, references, chosen.sleep ? Sleeping::Mode::on : Sleeping::Mode::off) {}

  StepReport advance(double h);
  IslandsReport solve_step(double h, StepReport& report, StageClock& clock);
  void set_motions(double h);
  double take_geometry(double h, StepReport& report);
  std::span<const DetectedContact> detect(double h);
  void put_in_order();
  void forget_looks();
  [[nodiscard]] std::vector<TrackedContact> all_contacts() const;
  /// Calls work(contact) for each of them, in that order; copies those of what sleeps alone.
  template <class Work>
  void each_contact(const Work& work) const;
  void fill_state(StepReport& report) const;

  System& system;
  StepperPlace place;
  TimeStepperOptions options;
  const SolverEntry& solver;
  const SolverChoices choices;
  ContactTracker tracker;
  AppliedForces forces;
  ReferenceGeometry references;
  Sleeping sleeping;
  ContactHorizon horizon;
  JointClosing closing;
  std::vector<double> extent;
  std::uint64_t measured = 0;                  // changes of the system that `extent` knows
  bool looks_at_all = true;                    // the next detection, since nobody knows where the bodies lie
  std::vector<ConstraintId> sequence, wanted;  // of the graph: as it lies, and as it should
  bool solved_by_blocks = false;               // of W, which were there when the last solve ended
  double last_h = 0;                           // [s]
  ThreadTrial trial;                           // beside a busy process one thread may be faster than several
  int threads = 1;                             // of this step
  double time = 0;
  std::int64_t steps = 0;
  double accepted_residual = std::numeric_limits<double>::infinity();  // of the last solve (solve_islands.hpp)
  std::function<void(const LocalDynamics&)> on_solved;
};

template <class Work>
void TimeStep::each_contact(const Work& work) const {
  // Not of a shape that was removed since the last step.
  const auto visit = [&](const TrackedContact& c) {
    if (system.contains(c.master) && system.contains(c.slave)) work(c);
  };
  const std::vector<TrackedContact> asleep = sleeping.contacts();
  auto sleeper = asleep.begin();
  for (const TrackedContact* awake : tracker.contacts()) {
    for (; sleeper != asleep.end() && pair_of(*sleeper) < pair_of(*awake); ++sleeper) visit(*sleeper);
    visit(*awake);
  }
  for (; sleeper != asleep.end(); ++sleeper) visit(*sleeper);
}

}  // namespace locdyn::detail
