#include <locdyn/solver/solve_islands.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/ldy/velocities.hpp>
#include <locdyn/solver/in_parallel.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>

namespace locdyn {
namespace {

constexpr int kFacets = 8;  // of a pyramid, where the solver has one

// A scene is at rest where its warm start comes within this factor of the tolerance: it is brought towards kReserve of
// it, by at most so many sweeps, which cost about as much as so many residuals.
constexpr double kNearlySolved = 100;
constexpr double kReserve = 1e-3;
constexpr long kSettlingSweeps = 20;
// The R that stops what a scene at rest has gathered of speed is too large for the next step by as much: what was just
// brought from r₀ to r₁ is left alone below the larger of these shares of either.
constexpr double kOfBefore = 0.01, kOfAfter = 10;

enum class Need { nothing, settling, solving };

// What is to be done for one island.
struct Task {
  std::span<const ConstraintId> members;
  Need need = Need::nothing;
  Residual before;
  StopOptions stop, reserve;
  long sweeps = 0;  // the budget
};

// A velocity is a share of the island's own ‖b‖.
double tolerance_of(const Residual& before, const StopOptions& stop, double velocity) {
  const double norm = before.relative > 0 ? before.absolute / before.relative : 1;
  return std::max(stop.tolerance, velocity / norm);
}

Need need_of(const Judgement& judgement, const StopOptions& stop, double left_alone) {
  StopOptions accepted = stop;
  accepted.tolerance = left_alone;
  if (meets(judgement, accepted)) return Need::nothing;
  return judgement.value(stop.measure) <= kNearlySolved * stop.tolerance ? Need::settling : Need::solving;
}

Task task_of(const Residual& before, const StopOptions& stop, const StepLimits& limits, double left_alone) {
  Task task{
      .members = {}, .need = Need::nothing, .before = before, .stop = stop, .reserve = stop, .sweeps = limits.sweeps};
  task.stop.tolerance = tolerance_of(before, stop, limits.velocity);
  task.reserve.tolerance = kReserve * task.stop.tolerance;
  task.reserve.max_iterations = std::min(kSettlingSweeps, stop.max_iterations);
  if (limits.sweeps > 0) task.stop.max_iterations = std::min(limits.sweeps, stop.max_iterations);
  const double level = left_alone < stop.tolerance ? left_alone : task.stop.tolerance;
  task.need = need_of(judgement_of(before), task.stop, level);
  return task;
}

// One graph: a few sweeps where it is nearly solved, all it takes where that was not enough.
SolveReport solve_one(LocalDynamics& ldy, const Task& task, const SolverEntry& solver) {
  if (task.sweeps > 0) return solve_nsgs(ldy, {.stop = task.stop});
  if (task.need == Need::solving || solver.pyramid) return solver.solve(ldy, task.stop, kFacets);
  SolveReport settled = solve_nsgs(ldy, {.stop = task.reserve});
  if (meets(judgement_of(settled.residual), task.stop)) {
    settled.status = SolveStatus::converged;
    settled.reason.clear();
  }
  if (settled.status == SolveStatus::converged) return settled;
  settled.follow_with(solver.solve(ldy, task.stop, kFacets));
  return settled;
}

// The level below which what a settling island has become is left alone.
double settled_level(const Task& task, const Residual& after) {
  if (task.need != Need::settling) return 0;
  const Measure measure = task.stop.measure;
  return std::max(kOfBefore * judgement_of(task.before).value(measure), kOfAfter * judgement_of(after).value(measure));
}

// Several islands at once; a fault is handed on, of several that of the first island.
std::vector<SolveReport> solve_all(std::vector<LocalDynamics>& graphs, std::vector<Task>& tasks,
                                   const SolverEntry& solver, int threads) {
  std::vector<SolveReport> reports(graphs.size());
  for (Task& task : tasks) task.stop.threads = task.reserve.threads = 1;
  std::vector<std::int64_t> order(graphs.size());
  std::iota(order.begin(), order.end(), 0);
  in_parallel(order, threads, [&](std::int64_t i) { reports[i] = solve_one(graphs[i], tasks[i], solver); });
  return reports;
}

void add(IslandsReport& total, const Task& task, const SolveReport& report, ConstraintId worst) {
  total.add(report);
  total.cut_short += task.sweeps > 0 && report.status == SolveStatus::max_iterations;
  const double residual = judgement_of(report.residual).value(task.stop.measure);
  if (!(residual <= total.residual)) {
    total.residual = residual;
    total.worst = worst;
  }
}

void check_limits(const StepLimits& limits) {
  if (!(limits.velocity >= 0 && std::isfinite(limits.velocity))) {
    throw std::invalid_argument("velocity tolerance: expected a finite number >= 0, found " +
                                std::to_string(limits.velocity));
  }
  if (limits.sweeps < 0) {
    throw std::invalid_argument("budget of sweeps: expected at least 0, found " + std::to_string(limits.sweeps));
  }
}

}  // namespace

IslandsReport solve_islands(LocalDynamics& ldy, const Islands& islands, const SolverEntry& solver,
                            const StopOptions& stop, double& left_alone, const StepLimits& limits) {
  check_options(stop, solver.name);
  check_limits(limits);
  StopOptions untimed = stop;
  untimed.max_seconds = std::numeric_limits<double>::infinity();
  const double level = std::exchange(left_alone, stop.tolerance);

  IslandsReport total;
  const std::vector<Residual> judged = evaluate_residuals(ldy, islands, stop.threads);
  total.block_products += velocity_products(ldy);
  std::vector<Task> tasks;
  for (Index i = 0; i < islands.count; ++i) {
    const Task task = task_of(judged[i], untimed, limits, level);
    if (task.need != Need::nothing) {
      tasks.push_back(task);
      tasks.back().members = islands.island(i);
    } else if (const double residual = judgement_of(judged[i]).value(stop.measure); residual > total.residual) {
      total.residual = residual;
      total.worst = judged[i].worst;
    }
  }
  if (tasks.empty()) return total;

  double settled = 0;
  if (islands.count == 1) {
    const SolveReport report = solve_one(ldy, tasks[0], solver);
    settled = settled_level(tasks[0], report.residual);
    add(total, tasks[0], report, report.residual.worst);
  } else {
    std::vector<std::span<const ConstraintId>> open;
    for (const Task& task : tasks) open.push_back(task.members);
    std::vector<LocalDynamics> graphs = ldy.extract(open);
    std::vector<SolveReport> reports;
    try {
      reports = solve_all(graphs, tasks, solver, stop.threads);
    } catch (...) {
      check_problem(ldy, solver.name);  // the same fault by the ids that the caller knows
      throw;
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
      ldy.take_back(graphs[i], open[i]);
      settled = std::max(settled, settled_level(tasks[i], reports[i].residual));
      const ConstraintId worst = reports[i].residual.worst;
      add(total, tasks[i], reports[i], worst == kNone ? kNone : open[i][worst]);
    }
  }
  if (settled > 0) left_alone = std::min(settled, stop.tolerance);
  return total;
}

}  // namespace locdyn
