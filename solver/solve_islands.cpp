#include <locdyn/solver/solve_islands.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include <locdyn/ldy/velocities.hpp>
#include <locdyn/solver/in_parallel.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>

namespace locdyn {
namespace {

constexpr int kFacets = 8;  // of a pyramid, where the solver has one

void add(IslandsReport& total, const SolveReport& report, ConstraintId worst, Measure measure) {
  total.add(report);
  const double residual = judgement_of(report.residual).value(measure);
  if (!(residual <= total.residual)) {
    total.residual = residual;
    total.worst = worst;
  }
}

// A scene is at rest where its warm start comes within this factor of the tolerance: it is brought towards kReserve of
// it, by at most so many sweeps, which cost about as much as so many residuals.
constexpr double kNearlySolved = 100;
constexpr double kReserve = 1e-3;
constexpr long kSettlingSweeps = 20;
// The R that stops what a scene at rest has gathered of speed is too large for the next step by as much: what was just
// brought from r₀ to r₁ is left alone below the larger of these shares of either.
constexpr double kOfBefore = 0.01, kOfAfter = 10;

enum class Need { nothing, settling, solving };

Need need_of(const Judgement& judgement, const StopOptions& stop, double left_alone) {
  StopOptions accepted = stop;
  accepted.tolerance = left_alone;
  if (meets(judgement, accepted)) return Need::nothing;
  return judgement.value(stop.measure) <= kNearlySolved * stop.tolerance ? Need::settling : Need::solving;
}

// One graph: a few sweeps where it is nearly solved, all it takes where that was not enough.
SolveReport solve_one(LocalDynamics& ldy, Need need, const SolverEntry& solver, const StopOptions& stop,
                      const StopOptions& reserve) {
  if (need == Need::solving || solver.pyramid) return solver.solve(ldy, stop, kFacets);
  SolveReport settled = solve_nsgs(ldy, {.stop = reserve});
  if (meets(judgement_of(settled.residual), stop)) {
    settled.status = SolveStatus::converged;
    settled.reason.clear();
  }
  if (settled.status == SolveStatus::converged) return settled;
  settled.follow_with(solver.solve(ldy, stop, kFacets));
  return settled;
}

// The level below which what a settling island has become is left alone.
double settled_level(Need need, const Residual& before, const Residual& after, Measure measure) {
  if (need != Need::settling) return 0;
  return std::max(kOfBefore * judgement_of(before).value(measure), kOfAfter * judgement_of(after).value(measure));
}

// Several islands at once; a fault is handed on, of several that of the first island.
std::vector<SolveReport> solve_all(std::vector<LocalDynamics>& graphs, std::span<const Need> needs,
                                   const SolverEntry& solver, const StopOptions& stop, const StopOptions& reserve) {
  std::vector<SolveReport> reports(graphs.size());
  StopOptions one = stop, one_reserve = reserve;
  one.threads = one_reserve.threads = 1;
  std::vector<std::int64_t> order(graphs.size());
  std::iota(order.begin(), order.end(), 0);
  in_parallel(order, stop.threads,
              [&](std::int64_t i) { reports[i] = solve_one(graphs[i], needs[i], solver, one, one_reserve); });
  return reports;
}

}  // namespace

IslandsReport solve_islands(LocalDynamics& ldy, const Islands& islands, const SolverEntry& solver,
                            const StopOptions& stop, double& left_alone) {
  check_options(stop, solver.name);
  StopOptions limits = stop;
  limits.max_seconds = std::numeric_limits<double>::infinity();
  StopOptions reserve = limits;
  reserve.tolerance = kReserve * stop.tolerance;
  reserve.max_iterations = std::min(kSettlingSweeps, stop.max_iterations);

  const double most = stop.tolerance;
  const double level = std::min(left_alone, most);
  left_alone = most;

  IslandsReport total;
  const std::vector<Residual> judged = evaluate_residuals(ldy, islands, stop.threads);
  total.block_products += velocity_products(ldy);
  std::vector<std::span<const ConstraintId>> open;
  std::vector<Need> needs;
  std::vector<Residual> before;
  for (Index i = 0; i < islands.count; ++i) {
    const Judgement judgement = judgement_of(judged[i]);
    const Need need = need_of(judgement, stop, level);
    if (need != Need::nothing) {
      open.push_back(islands.island(i));
      needs.push_back(need);
      before.push_back(judged[i]);
    } else if (const double residual = judgement.value(stop.measure); residual > total.residual) {
      total.residual = residual;
      total.worst = judged[i].worst;
    }
  }
  if (open.empty()) return total;

  double settled = 0;
  if (islands.count == 1) {
    const SolveReport report = solve_one(ldy, needs[0], solver, limits, reserve);
    settled = settled_level(needs[0], before[0], report.residual, stop.measure);
    if (settled > 0) left_alone = std::min(settled, most);
    add(total, report, report.residual.worst, stop.measure);
    return total;
  }
  std::vector<LocalDynamics> graphs = ldy.extract(open);
  std::vector<SolveReport> reports;
  try {
    reports = solve_all(graphs, needs, solver, limits, reserve);
  } catch (...) {
    check_problem(ldy, solver.name);  // the same fault by the ids that the caller knows
    throw;
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    ldy.take_back(graphs[i], open[i]);
    settled = std::max(settled, settled_level(needs[i], before[i], reports[i].residual, stop.measure));
    const ConstraintId worst = reports[i].residual.worst;
    add(total, reports[i], worst == kNone ? kNone : open[i][worst], stop.measure);
  }
  if (settled > 0) left_alone = std::min(settled, most);
  return total;
}

}  // namespace locdyn
