#include <locdyn/simulation/stepping/time_step.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <locdyn/simulation/stepping/body_motion.hpp>
#include <locdyn/simulation/stepping/position_correction.hpp>
#include <locdyn/threads/team.hpp>

namespace locdyn::detail {
namespace {

constexpr double kSlipSpeed = 1e-3;  // of h |g|: below it a contact counts as stopped

std::string warning_of(const StepReport& report, const IslandsReport& solved, double tolerance) {
  char text[320];
  std::snprintf(text, sizeof text,
                "step %ld (t = %.6g s): %s: scaled residual %.2e above the tolerance %.1e in %zu of %zu islands, worst "
                "at constraint %u%s%s",
                report.step, report.time, to_string(solved.status), solved.residual, tolerance, solved.unconverged,
                report.islands, solved.worst.value(), solved.reason.empty() ? "" : ": ", solved.reason.c_str());
  return text;
}

// About what a step did, in block products, some 10 ns each: a body that is awake moves and is looked at (1.2 µs each
// of 2000 that fall and touch nothing), a constraint is found, tracked and assembled, too.
double work_of(const StepReport& report, std::size_t awake) {
  constexpr double kOfBody = 100, kOfConstraint = 300, kFlops = 18;
  return kOfBody * static_cast<double>(awake) + kOfConstraint * static_cast<double>(report.constraints) +
         report.block_products + report.factorisation_flops / kFlops;
}

}  // namespace

StepperPlace::StepperPlace(System& system) : system_(system) {
  if (system_.has_stepper_.exchange(true)) {
    throw std::logic_error("time stepper: expected a system that no other moves, found one with a stepper already");
  }
}

StepReport TimeStep::advance(double h) {
  StepReport report;
  StageClock clock;
  const auto began = std::chrono::steady_clock::now();
  threads = trial.next(options.stop.threads);
  const TeamWatch watch;
  sleeping.begin_step();
  set_motions(h);
  system.bodies().advance(h / 2, sleeping.active(), threads);
  system.bodies().set_time(time + h / 2);
  report.seconds.other += clock.lap();

  IslandsReport solved;
  try {
    solved = solve_step(h, report, clock);
    solved_by_blocks = system.graph().has_blocks();
    if (on_solved) on_solved(system.graph());
  } catch (...) {  // no body has its new velocity yet: back to where the step began
    references.leave(system.bodies());
    system.bodies().advance(-h / 2, sleeping.active(), threads);
    system.bodies().set_time(time);
    throw;
  }

  system.assembly().apply_reactions(threads, sleeping.active());
  tracker.read_reactions(kSlipSpeed * h * std::max(system.gravity.norm(), 1.0), threads);
  system.bodies().advance(h / 2, sleeping.active(), threads);
  system.bodies().set_time(time + h);
  report.seconds.other += clock.lap();
  if (options.correction == Correction::projection) {
    const double before = system.forces().potential_energy(system.bodies());
    report.correction_energy =
        correct_positions(system, h, {.slop = options.slop, .sweep_budget = options.sweep_budget, .threads = threads})
            .energy;
    const ClosingReport closed = closing.close(system);
    report.joint_error = closed.error;
    report.correction_energy += closed.energy + system.forces().potential_energy(system.bodies()) - before;
  }
  report.seconds.correction = clock.lap();

  time += h;
  ++steps;
  report.step = steps;
  report.time = time;
  const Islands& islands = system.assembly().islands();
  report.islands = islands.count;
  report.status = solved.status;
  report.iterations = solved.iterations;
  report.block_products = solved.block_products;
  report.factorisations = solved.factorisations;
  report.factorisation_flops = solved.factorisation_flops;
  report.residual = solved.residual;
  report.not_least_norm = solved.not_least;
  report.within_budget = solved.cut_short > 0 && solved.cut_short == solved.unconverged;
  if (report.failed()) report.warning = warning_of(report, solved, options.stop.tolerance);
  const bool projects = options.correction == Correction::projection;
  sleeping.end_step(islands, {.h = h,
                              .tolerance = options.stop.tolerance,
                              .slop = projects ? options.slop : std::numeric_limits<double>::infinity(),
                              .threads = threads});
  fill_state(report);
  report.seconds.other += clock.lap();
  trial.note(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(),
             work_of(report, sleeping.active().size()));
  return report;
}

// Contacts, W, B and the reactions, at q*.
IslandsReport TimeStep::solve_step(double h, StepReport& report, StageClock& clock) {
  forget_looks();
  forces.load(time, h, sleeping.active());
  sleeping.wake_written();
  report.seconds.other += clock.lap();
  report.seconds.detection = take_geometry(h, report);
  forces.take(h, threads, sleeping.active());
  system.assembly().update_loads({.threads = threads});
  report.seconds.assembly = clock.lap() - report.seconds.detection;

  StopOptions stop = options.stop;
  stop.threads = threads;
  IslandsReport solved = solve_islands(
      system.graph(), system.assembly().islands(), solver, stop, accepted_residual,
      {.velocity = options.velocity_tolerance, .sweeps = options.sweep_budget, .least_norm = options.least_norm},
      choices);
  report.seconds.solve = clock.lap();
  return solved;
}

// Obstacles move about the origin of their body coordinates.
void TimeStep::set_motions(double h) {
  for (const auto& [body, drive] : system.drives()) {
    auto& obstacle = static_cast<Obstacle&>(system.bodies()[body]);
    const ObstacleMotion motion = drive(time, h);
    obstacle.set_motion(motion.velocity, motion.angular_velocity, obstacle.to_space(Eigen::Vector3d::Zero()));
  }
}

// Contacts, H and W at the reference configurations. Returns the seconds spent on detection.
double TimeStep::take_geometry(double h, StepReport& report) {
  StageClock clock;
  BodySet& bodies = system.bodies();
  if (extent.empty() || measured != system.changes()) {
    extent = body_extents(system);
    measured = system.changes();
    references.forget();
  }
  if (h != last_h) references.forget();  // Baumgarte's feedback is made of it
  last_h = h;
  const std::span<const DetectedContact> found = detect(h);
  if (system.detector() != nullptr) {
    TrackingOptions tracking{.time = time + h / 2, .h = h, .slop = options.slop, .threads = threads};
    if (options.correction == Correction::baumgarte) {
      tracking.feedback_share = options.baumgarte_alpha;
      tracking.feedback_speed = options.baumgarte_beta;
    }
    tracker.update(found, references.moved(), extent, tracking);
  }
  report.penetration = sleeping.penetration();
  for (const DetectedContact& contact : found) report.penetration = std::max(report.penetration, -contact.gap);
  const auto in_graph = [](ConstraintId id) { return id != kNone; };
  report.contacts = static_cast<std::size_t>(std::ranges::count_if(tracker.constraints(), in_graph));
  report.constraints = system.graph().constraint_count();
  const double seconds = clock.lap();

  put_in_order();
  const auto moved = references.all_moved() ? std::span<const std::uint8_t>() : references.moved();
  system.assembly().update_geometry(h, moved, {.threads = threads, .pack_share = 1, .active = sleeping.active()});
  references.leave(bodies);
  sleeping.ignore_written();  // the first look takes what sleeps to its references, too
  return seconds;
}

// Contacts at the reference configurations, of what is awake. Where one ties it to what sleeps, that wakes first: its
// bodies lie where they lay, so that one more look at them is all it takes. They are at rest and reach no farther.
std::span<const DetectedContact> TimeStep::detect(double h) {
  BodySet& bodies = system.bodies();
  const bool at_all = std::exchange(looks_at_all, false);
  std::vector<BodyId> fresh(sleeping.active().begin(), sleeping.active().end());
  if (at_all) {
    fresh.assign(bodies.ids().begin(), bodies.ids().end());
  }
  const std::vector<BodyId> all = at_all ? fresh : std::vector<BodyId>();
  references.follow(bodies, fresh, extent, threads);
  references.enter(bodies, fresh);
  if (system.detector() == nullptr) return {};
  system.detector()->set_threads(threads);
  for (;;) {
    horizon.look(system, fresh, extent, h, threads);
    const std::span<const BodyId> looked_at = at_all ? std::span<const BodyId>(all) : sleeping.active();
    const auto detected = system.detector()->detect_among(bodies, looked_at, horizon.reach(), references.moved());
    const auto found = horizon.closing(system, detected, sleeping.is_active(), threads);
    const std::span<const BodyId> woken = sleeping.wake_touched(found);
    if (woken.empty()) return found;
    fresh.assign(woken.begin(), woken.end());
    if (at_all) continue;  // they are at their references, as moved ones
    references.follow(bodies, fresh, extent, threads);
    references.enter(bodies, fresh);
  }
}

// The rows lie in an order that the constraints for life and the geometry decide, never the history.
void TimeStep::put_in_order() {
  wanted = system.constraints();
  std::ranges::remove_copy(tracker.constraints(), std::back_inserter(wanted), ConstraintId{kNone});
  if (wanted == sequence && system.graph().scattered() == 0) return;
  system.graph().pack(wanted, threads);
  sequence = wanted;
}

// Whoever looks at the graph, or copies it, makes blocks of W that solvers would then work with: steps go on to the
// same bits as if nobody had.
void TimeStep::forget_looks() {
  if (!solved_by_blocks) system.graph().blocks_changed();
}

// Of what is awake and of what sleeps.
std::vector<TrackedContact> TimeStep::all_contacts() const {
  std::vector<TrackedContact> all;
  all.reserve(tracker.contacts().size());
  each_contact([&](const TrackedContact& contact) { all.push_back(contact); });
  return all;
}

void TimeStep::fill_state(StepReport& report) const {
  const BodySet& bodies = system.bodies();
  const MotionTotals totals = motion_totals(bodies, sleeping.active(), extent, system.gravity, threads);
  report.kinetic_energy = totals.kinetic_energy;
  report.potential_energy =
      totals.potential_energy + sleeping.potential_energy() + system.forces().potential_energy(bodies);
  report.sleeping = sleeping.count();
  report.momentum = totals.momentum;
  report.angular_momentum = totals.angular_momentum;
  report.largest_speed = totals.largest_speed;
}

}  // namespace locdyn::detail
