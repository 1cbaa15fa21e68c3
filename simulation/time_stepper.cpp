#include <locdyn/simulation/time_stepper.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/simulation/stepping/break_joints.hpp>
#include <locdyn/simulation/stepping/stepper_state.hpp>
#include <locdyn/simulation/stepping/time_step.hpp>
#include <locdyn/solver/auto.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr int kMostParts = 8;  // of a step that is done again

void require_at_least(double value, double least, const char* what) {
  if (!(value >= least && std::isfinite(value))) {
    throw std::invalid_argument(std::string(what) + ": expected at least " + spelled(least) + ", found " +
                                spelled(value));
  }
}

}  // namespace

void validate(const TimeStepperOptions& options) {
  require_positive(options.step, "step");
  check_step_limits(options.stop, "step");
  require_at_least(options.slop, 0, "slop");
  require_at_least(options.baumgarte_alpha, 0, "baumgarte_alpha");
  require_at_least(options.baumgarte_beta, 0, "baumgarte_beta");
  if (options.baumgarte_alpha > 1) {
    throw std::invalid_argument("baumgarte_alpha: expected at most 1, found " + spelled(options.baumgarte_alpha));
  }
  require_at_least(options.velocity_tolerance, 0, "velocity_tolerance");
  if (options.sweep_budget < 0) {
    throw std::invalid_argument("sweep_budget: expected at least 0, found " + std::to_string(options.sweep_budget));
  }
  check_auto_parts(options.without);
  if (options.least_norm && options.sweep_budget > 0) {
    throw std::invalid_argument("least_norm: expected no sweep_budget beside it, found " +
                                std::to_string(options.sweep_budget));
  }
  if (find_solver(options.solver).pyramid && options.least_norm) {
    throw std::invalid_argument("least_norm: expected a solver of round cones beside it, found " + options.solver);
  }
  if (find_solver(options.solver).pyramid && options.sweep_budget > 0) {
    throw std::invalid_argument("sweep_budget: expected a solver of round cones beside it, found " + options.solver);
  }
}

struct TimeStepper::Parts : TimeStep {
  using TimeStep::TimeStep;
};

TimeStepper::TimeStepper(System& system, const TimeStepperOptions& options) {
  validate(options);
  parts_ = std::make_unique<Parts>(system, options);
}

TimeStepper::~TimeStepper() = default;

StepReport TimeStepper::step() {
  const StepRuns runs(parts_->system, "step");
  StepReport report = take_step();
  break_joints(report);
  return report;
}

void TimeStepper::break_joints(StepReport& report) {
  System& system = parts_->system;
  report.broken = overloaded(system, report.time);
  for (const BrokenJoint& broken : report.broken) {
    const std::vector<BreakableJoint>& all = system.breakables();
    const auto is_it = [&](const BreakableJoint& b) {
      return !b.constraints.empty() && b.constraints[0] == broken.joint;
    };
    system.break_joint(static_cast<std::size_t>(std::ranges::find_if(all, is_it) - all.begin()));
  }
}

StepReport TimeStepper::take_step() {
  Parts& parts = *parts_;
  const bool goes_on = parts.options.on_failure == OnFailure::go_on;
  const bool calls =
      parts.system.forces().size() > 0 || !parts.system.loads().empty() || parts.system.contact_modifier();
  // What is saved is all that sleeps, too: a ball beside 100 000 bricks at rest would pay for them.
  if (goes_on && !calls) return parts.advance(parts.options.step);

  const StepperState before = state();  // functions of forces and loads may throw at any moment, memory may run out
  try {
    StepReport report = parts.advance(parts.options.step);
    if (!report.failed() || goes_on) return report;
    if (parts.options.on_failure == OnFailure::stop) throw StepFailure(report);
    const std::string warning = report.warning;
    for (int count = 2; count <= kMostParts && report.failed(); count *= 2) {
      go_back_to(before);
      report = advance_in_parts(count);
      report.warning = "done again in " + std::to_string(count) + " parts after " + warning;
    }
    return report;
  } catch (...) {
    go_back_to(before);
    throw;
  }
}

// The reports of the parts as one: the state of the last, the worst of what was solved.
StepReport TimeStepper::advance_in_parts(int count) {
  Parts& parts = *parts_;
  const std::int64_t step = parts.steps + 1;
  StepReport whole;
  for (int part = 0; part < count; ++part) {
    StepReport report = parts.advance(parts.options.step / count);
    report.parts = count;
    report.step = step;
    add_part(report, whole);
  }
  parts.steps = step;
  return whole;
}

double TimeStepper::time() const noexcept {
  return parts_->time;
}
long TimeStepper::steps() const noexcept {
  return parts_->steps;
}
const TimeStepperOptions& TimeStepper::options() const noexcept {
  return parts_->options;
}
const System& TimeStepper::system() const noexcept {
  return parts_->system;
}

void TimeStepper::visit_contacts(const std::function<void(const ActiveContact&)>& visit) const {
  parts_->each_contact([&](const TrackedContact& c) {
    if (c.off || !Contact::acts(c.point)) return;  // known before a restored run has them in its graph
    visit({.identity = c.identity,
           .master = c.master,
           .slave = c.slave,
           .point = c.point,
           .reaction = c.reaction,
           .moment = c.moment_length * c.moment,
           .shift = c.constraint == kNone ? Eigen::Vector3d(Eigen::Vector3d::Zero())
                                          : offset(parts_->system.graph().law(c.constraint), 0),
           .slips = c.slips,
           .velocity_before = c.velocity_before,
           .velocity = c.point.past.velocity,
           .constraint = c.constraint});
  });
}

std::vector<ActiveContact> TimeStepper::contacts() const {
  std::vector<ActiveContact> active;
  active.reserve(parts_->tracker.contacts().size());
  visit_contacts([&](const ActiveContact& contact) { active.push_back(contact); });
  return active;
}

void TimeStepper::on_solved(std::function<void(const LocalDynamics&)> look) {
  parts_->on_solved = std::move(look);
}

bool TimeStepper::sleeps(BodyId body) const {
  (void)parts_->system.bodies()[body];
  return parts_->sleeping.sleeps(body);
}

StepperState TimeStepper::state() const {
  const Parts& parts = *parts_;
  StepperState state;
  state.time = parts.time;
  state.step = parts.steps;
  state.accepted_residual = parts.accepted_residual;
  state.bodies = save_bodies(parts.system.bodies());
  state.references = parts.references.save(parts.system.bodies());
  save_contacts(parts.all_contacts(), parts.tracker.next_identity(), state);
  state.reactions = save_reactions(parts.system);
  state.forces = parts.system.forces().memory();
  state.sleep = parts.sleeping.save();
  state.broken = save_broken(parts.system);
  return state;
}

void TimeStepper::restore(const StepperState& state) {
  const StepRuns runs(parts_->system, "restore");
  go_back_to(state);
}

void TimeStepper::go_back_to(const StepperState& state) {
  Parts& parts = *parts_;
  const std::vector<TrackedContact> contacts = contacts_of(state, parts.system);
  const std::vector<std::size_t> broken = still_to_break(state.broken, parts.system);
  check_state(state, parts.system, broken);
  const StepperState before = this->state();
  parts.sleeping.reset();
  try {
    restore_bodies(state.bodies, parts.system.bodies());
  } catch (...) {
    go_back_to(before);
    throw;
  }
  for (const std::size_t joint : broken) parts.system.break_joint(joint);
  parts.references.restore(parts.system.bodies(), state.references);
  parts.tracker.restore(contacts, state.identities.back());
  restore_reactions(state.reactions, parts.system);
  parts.system.forces().set_memory(state.forces);
  parts.sleeping.restore(state.sleep);
  parts.looks_at_all = true;
  parts.time = state.time;
  parts.system.bodies().set_time(state.time);
  parts.steps = state.step;
  parts.accepted_residual = state.accepted_residual;
}

}  // namespace locdyn
