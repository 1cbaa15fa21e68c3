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
#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/minimum_norm.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/step/sweeps_together.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn {
using namespace detail;
namespace {

// An island at rest that its warm start brings within this factor of the tolerance is brought towards kReserve of it:
// by at most so many Newton steps, which start from the right state, or, where the solver chosen is another than
// `auto`, by so many sweeps, which cost about as much as so many residuals. A wall of 400 bricks that nothing but the
// solver holds still, at 1e-8: 2 Newton steps every tenth step leave it 7e-12 m/s; 20 sweeps to within the tolerance
// 1.4e-7 m/s at seven times the cost, and Newton after such sweeps 8e-9 m/s at three times.
constexpr double kNearlySolved = 100;
constexpr double kReserve = 1e-3;
constexpr long kSettlingSweeps = 20, kSettlingSteps = 30;
// Newton goes on towards it as long as the residual halves in so many steps: what starts from the right state does in
// one. Chains that have come to lie on boxes took 30 a step, every step, where a solve takes 20 sweeps. Twenty-eight
// runs of moving scenes that have parts at rest take 0.96 of the time at 1e-3 and at 1e-4, and creep as little; with at
// most 6 steps the same, but what creeps at 1e-8 takes 1.3 times the time.
constexpr long kSettlingPatience = 6;
// At rest nothing moves but by a small share of what the loads of one step would give it: relative velocities are at
// most so many times ‖b‖.
constexpr double kOfLoads = 1e-2;
// The sweeps with which islands up to so large begin together. Seventeen moving scenes at 1e-3 and 1e-6: 15, 30 and 80
// take 1.00, 1.04 and 0.99 to 1.01 of the time, bin and pile at 1e-3 1.06 with 80; 256 contacts in place of 400 1.1
// times in a hopper, 1024 1.15 times on a wall.
constexpr long kSweepsTogether = 50;
constexpr std::size_t kSmallIsland = 400;
// Down to this tolerance they go with momentum, below over-relaxed: it moves R further along the null space of W, too.
// A gripper that shakes a block for 30 s with 90 to 99 % of what friction bears loses at 1e-8 15 of 30 with momentum
// and none without; at 1e-6 and 1e-4 none either way. Fifteen moving scenes at 1e-3 and 1e-4: 1.07 and 1.03 times as
// fast.
constexpr double kMomentumFrom = 1e-6;
// From here on a solve has work for several threads by itself.
constexpr std::size_t kLargeIsland = kDissectedFrom;
// A warm start loses this times its residual, as a share, at most so much (`fade`). A block that rigid jaws hold at 90
// to 99 % of what friction bears and shake for 60 s, at 1e-8: without, it turns out of them within seconds; with 0.1 it
// turns by 0.1 rad, with 0.3 it slides by 4e-4 m at 99 %, with 0.5 by 4e-9 m. Thirteen moving scenes at 1e-3 and 1e-6:
// 0.1, 0.3 and 1 take 1.00, 0.97 and 1.02 of the block products without.
constexpr double kFading = 0.5, kMostFading = 0.5;
// The R that stops what a scene at rest has gathered of speed is too large for the next step by as much: what was just
// brought from r₀ to r₁ is left alone below the larger of these shares of either.
constexpr double kOfBefore = 0.01, kOfAfter = 10;

enum class Need { nothing, settling, solving };

// The solver of a step, and what its user chose of it.
struct Solver {
  const SolverEntry& entry;
  const SolverChoices& choices;
  bool by_newton = entry.sweeps_first;  // settles what rests
  bool sweeps_first = entry.sweeps_first &&
                      std::find(choices.without.begin(), choices.without.end(), "together") == choices.without.end();
};

// What is to be done for one island, and what was.
struct Task {
  std::span<const ConstraintId> members;
  Need need = Need::nothing;
  Residual before;
  StopOptions stop, reserve;
  long sweeps = 0;  // the budget
  bool done = false;
  bool swept = false;  // until sweeps were given up
  SolveReport report = {};
};

// What residuals are divided by.
double load_norm(const Residual& residual) {
  return residual.relative > 0 ? residual.absolute / residual.relative : 1;
}

// By the velocities in the graph.
bool at_rest(const LocalDynamics& ldy, std::span<const ConstraintId> members, const Residual& residual) {
  const double slow = kOfLoads * load_norm(residual);
  double speed2 = 0;
  for (const ConstraintId id : members) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) speed2 += ldy.row(id, k).U.squaredNorm();
  }
  return speed2 <= slow * slow;
}

// Is the warm start enough? `accepted_residual` may be below the tolerance, for islands at rest.
Need need_of(const LocalDynamics& ldy, const Task& task, double accepted_residual) {
  const Judgement judgement = judgement_of(task.before);
  StopOptions accepted = task.stop;
  accepted.tolerance = std::min(accepted_residual, task.stop.tolerance);
  if (meets(judgement, accepted)) return Need::nothing;
  const bool near = judgement.value(task.stop.measure) <= kNearlySolved * task.stop.tolerance;
  if (near && at_rest(ldy, task.members, task.before)) return Need::settling;
  return meets(judgement, task.stop) ? Need::nothing : Need::solving;
}

Task task_of(const LocalDynamics& ldy, std::span<const ConstraintId> members, const Residual& before,
             const StopOptions& stop, const StepLimits& limits, double accepted_residual) {
  Task task{.members = members, .before = before, .stop = stop, .reserve = stop, .sweeps = limits.sweeps};
  // A velocity is a share of the island's own ‖b‖.
  task.stop.tolerance = std::max(stop.tolerance, limits.velocity / load_norm(before));
  task.reserve.tolerance = kReserve * task.stop.tolerance;
  task.reserve.max_iterations = std::min(kSettlingSweeps, stop.max_iterations);
  if (limits.sweeps > 0) task.stop.max_iterations = std::min(limits.sweeps, stop.max_iterations);
  task.need = need_of(ldy, task, accepted_residual < stop.tolerance ? accepted_residual : task.stop.tolerance);
  return task;
}

// Where reactions are not unique, solvers move them along the null space of W a little in every step, and nothing
// brings them back: the pressure between rigid faces wanders until friction there no longer bears a moment. A warm
// start that is to be solved anyway loses a share of itself that changes W R by less than what is wrong of it: the
// velocities are found again by the same solve, what lies in the null space fades. The R in the graph are no longer
// those of its U.
void fade(LocalDynamics& ldy, const Task& task, Measure measure) {
  const double keep = 1 - std::min(kMostFading, kFading * judgement_of(task.before).value(measure));
  for (const ConstraintId id : task.members) {
    const Law& law = ldy.law(id);
    if (!is_contact(law)) continue;
    for (int block = 0; block < block_count(law); ++block) ldy.row(id, block).R *= keep;
  }
}

// Takes what a few iterations have left for a solution where it is one.
void judge(Task& task) {
  task.done = meets(judgement_of(task.report.residual), task.stop);
  if (!task.done) return;
  task.report.status = SolveStatus::converged;
  task.report.reason.clear();
}

// A few steps towards the reserve.
SolveReport settle(LocalDynamics& ldy, const Task& task, const Solver& solver) {
  if (!solver.by_newton) return solve_nsgs(ldy, {.stop = task.reserve});
  NewtonOptions newton{.stop = task.reserve, .first_sweeps = 0};
  newton.patience = kSettlingPatience;
  newton.stop.max_iterations = std::min(kSettlingSteps, task.stop.max_iterations);
  return solve_newton(ldy, newton);
}

// One graph: a few steps where it is nearly solved, all it takes where that was not enough.
void solve_one(LocalDynamics& ldy, Task& task, const Solver& solver) {
  const auto follow = [&task](SolveReport next) {
    task.report.iterations > 0 ? task.report.follow_with(std::move(next)) : void(task.report = std::move(next));
  };
  if (task.sweeps > 0) return follow(solve_nsgs(ldy, {.stop = task.stop}));
  if (task.need == Need::settling && task.report.iterations == 0 && !solver.entry.pyramid) {
    follow(settle(ldy, task, solver));
    judge(task);
    if (task.done) return;
  }
  SolverChoices choices = solver.choices;
  choices.swept = task.swept;
  follow(solver.entry.solve(ldy, task.stop, choices));
}

// How long an island is swept together with others; not at all where `most` is 0.
SweptIsland swept(const Task& task, const Solver& solver) {
  const double norm = load_norm(task.before);
  SweptIsland island{.members = task.members, .tolerance = task.stop.tolerance, .small = task.stop.tolerance * norm};
  if (task.sweeps > 0) {
    island.most = std::min(kSweepsTogether, task.stop.max_iterations);
    island.to_the_end = true;
  } else if (task.need == Need::settling && !solver.entry.pyramid && !solver.by_newton) {
    island.tolerance = task.reserve.tolerance;
    island.small = task.reserve.tolerance * norm;
    island.most = task.reserve.max_iterations;
    island.to_the_end = true;
  } else if (solver.sweeps_first && task.need == Need::solving && task.members.size() <= kSmallIsland) {
    island.most = std::min(kSweepsTogether, task.stop.max_iterations);
    island.momentum = task.stop.tolerance >= kMomentumFrom;
  }
  return island;
}

// The sweeps that islands begin with, all at once. Returns the block products.
double sweep_first(LocalDynamics& ldy, std::span<Task> tasks, const Solver& solver, int threads) {
  std::vector<SweptIsland> islands;
  std::vector<Task*> of;
  for (Task& task : tasks) {
    const SweptIsland island = swept(task, solver);
    if (island.most < 1) continue;
    islands.push_back(island);
    of.push_back(&task);
  }
  if (islands.empty()) return 0;
  const double products = sweep_together(ldy, islands, threads);
  std::vector<std::span<const ConstraintId>> parts;
  for (const SweptIsland& island : islands) parts.push_back(island.members);
  const std::vector<Residual> residuals = residuals_of_velocities(ldy, parts, threads);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    Task& task = *of[i];
    task.report.solver = "nsgs";
    task.report.iterations = islands[i].sweeps;
    task.swept = islands[i].given_up;
    task.report.residual = residuals[i];
    judge(task);
    task.stop.max_iterations -= islands[i].sweeps;
    if (task.done || task.stop.max_iterations > 0) continue;
    task.done = true;
    task.report.status = SolveStatus::max_iterations;
    task.report.reason = kIterationLimit;
  }
  return products;
}

// The level below which what a settling island has become is left alone.
double settled_level(const Task& task) {
  if (task.need != Need::settling) return 0;
  const Measure measure = task.stop.measure;
  return std::max(kOfBefore * judgement_of(task.before).value(measure),
                  kOfAfter * judgement_of(task.report.residual).value(measure));
}

// Large islands one after the other, each on all threads, the others at once; a fault is handed on, of several that of
// the first large island, or else of the first.
void solve_all(std::vector<LocalDynamics>& graphs, std::span<Task* const> tasks, const Solver& solver, int threads) {
  std::vector<std::size_t> small;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    if (graphs[i].constraint_count() < kLargeIsland) {
      small.push_back(i);
    } else {
      solve_one(graphs[i], *tasks[i], solver);
    }
  }
  in_parallel(std::ssize(small), threads, 1, [&](std::int64_t k) {
    Task& task = *tasks[small[k]];
    task.stop.threads = task.reserve.threads = 1;
    solve_one(graphs[small[k]], task, solver);
  });
}

void add(IslandsReport& total, const Task& task) {
  const SolveReport& report = task.report;
  total.add(report);
  total.cut_short += task.sweeps > 0 && report.status == SolveStatus::max_iterations;
  const double residual = judgement_of(report.residual).value(task.stop.measure);
  if (!(residual <= total.residual)) {
    total.residual = residual;
    total.worst = report.residual.worst;
  }
}

void check_limits(const StepLimits& limits) {
  if (!(limits.velocity >= 0 && std::isfinite(limits.velocity))) {
    throw std::invalid_argument("velocity tolerance: expected a finite number >= 0, found " +
                                std::to_string(limits.velocity));
  }
  if (limits.least_norm && limits.sweeps > 0) {
    throw std::invalid_argument("least norm: expected no budget of sweeps beside it, found " +
                                std::to_string(limits.sweeps));
  }
  if (limits.sweeps < 0) {
    throw std::invalid_argument("budget of sweeps: expected at least 0, found " + std::to_string(limits.sweeps));
  }
}

// What comes back from a graph of some constraints alone.
void take_back(LocalDynamics& ldy, const LocalDynamics& part, std::span<const ConstraintId> members,
               Residual& residual) {
  ldy.take_back(part, members);
  if (residual.worst != kNone) residual.worst = members[residual.worst];
}

// Those that sweeps together have left: the graph itself where it is one island, else each apart.
void solve_open(LocalDynamics& ldy, const Islands& islands, std::span<Task* const> open, const Solver& solver,
                int threads) {
  if (islands.count == 1) return solve_one(ldy, *open[0], solver);
  std::vector<std::span<const ConstraintId>> members;
  for (const Task* task : open) members.push_back(task->members);
  std::vector<LocalDynamics> graphs = ldy.extract(members, threads);
  try {
    solve_all(graphs, open, solver, threads);
  } catch (...) {
    check_problem(ldy, solver.entry.name);  // the same fault by the ids that the caller knows
    throw;
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    take_back(ldy, graphs[i], members[i], open[i]->report.residual);
  }
}

// Of the reactions with the velocities found, those of least norm. False where there are none: then R stays.
bool take_least(LocalDynamics& ldy, Task& task) {
  if (!suits_convex(ldy)) return false;
  const SolveReport least = minimise_norm(ldy, task.stop);
  task.report.add_cost(least);
  task.report.iterations += least.iterations;
  if (least.status != SolveStatus::converged) return false;
  task.report.residual = least.residual;
  return true;
}

// The same of every island that converged. Returns how many have others.
std::size_t take_least_of_all(LocalDynamics& ldy, const Islands& islands, std::span<Task> tasks, int threads) {
  std::vector<Task*> solved;
  std::vector<std::span<const ConstraintId>> members;
  for (Task& task : tasks) {
    if (task.report.status != SolveStatus::converged) continue;
    solved.push_back(&task);
    members.push_back(task.members);
  }
  if (islands.count == 1) return solved.empty() || take_least(ldy, *solved[0]) ? 0 : 1;
  std::vector<LocalDynamics> graphs = ldy.extract(members);
  std::vector<std::uint8_t> found(graphs.size(), 0);
  in_parallel(std::ssize(graphs), threads, 1, [&](std::int64_t i) {
    solved[i]->stop.threads = 1;
    found[i] = take_least(graphs[i], *solved[i]);
  });
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    if (found[i] != 0) take_back(ldy, graphs[i], members[i], solved[i]->report.residual);
  }
  return static_cast<std::size_t>(std::count(found.begin(), found.end(), 0));
}

}  // namespace

IslandsReport solve_islands(LocalDynamics& ldy, const Islands& islands, const SolverEntry& entry,
                            const StopOptions& stop, double& accepted_residual, const StepLimits& limits,
                            const SolverChoices& choices) {
  check_options(stop, entry.name);
  const Solver solver{entry, choices};
  check_limits(limits);
  StopOptions untimed = stop;
  untimed.max_seconds = std::numeric_limits<double>::infinity();
  const double level = std::exchange(accepted_residual, stop.tolerance);

  IslandsReport total;
  const std::vector<Residual> judged = evaluate_residuals(ldy, islands, stop.threads);
  total.block_products += velocity_products(ldy);
  std::vector<Task> tasks;
  for (Index i = 0; i < islands.count; ++i) {
    Task task = task_of(ldy, islands.island(i), judged[i], untimed, limits, level);
    if (task.need != Need::nothing) {
      tasks.push_back(std::move(task));
    } else if (const double residual = judgement_of(judged[i]).value(stop.measure); residual > total.residual) {
      total.residual = residual;
      total.worst = judged[i].worst;
    }
  }
  if (tasks.empty()) return total;
  for (const Task& task : tasks) {
    // Not under a budget, which may not suffice to find again what is taken away.
    if (task.need == Need::solving && task.sweeps == 0) fade(ldy, task, stop.measure);
  }

  if (sweeps_together(ldy)) total.block_products += sweep_first(ldy, tasks, solver, stop.threads);
  std::vector<Task*> open;
  for (Task& task : tasks) {
    if (!task.done) open.push_back(&task);
  }
  if (!open.empty()) solve_open(ldy, islands, open, solver, stop.threads);

  if (limits.least_norm) total.not_least = take_least_of_all(ldy, islands, tasks, stop.threads);

  double settled = 0;
  for (const Task& task : tasks) {
    settled = std::max(settled, settled_level(task));
    add(total, task);
  }
  if (settled > 0) accepted_residual = std::min(settled, stop.tolerance);
  return total;
}

}  // namespace locdyn
