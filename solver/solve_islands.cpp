#include <locdyn/solver/solve_islands.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>

#include <locdyn/solver/iterate_watch.hpp>

namespace locdyn {
namespace {

constexpr int kFacets = 8;  // of a pyramid, where the solver has one

// R and U of an island that was solved apart.
void hand_back(const LocalDynamics& part, std::span<const ConstraintId> ids, LocalDynamics& ldy) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (int k = 0; k < block_count(ldy.law(ids[i])); ++k) {
      ldy.row(ids[i], k).R = part.row(static_cast<ConstraintId>(i), k).R;
      ldy.row(ids[i], k).U = part.row(static_cast<ConstraintId>(i), k).U;
    }
  }
}

void add(IslandsReport& total, const SolveReport& report, ConstraintId worst, Measure measure) {
  ++total.solved;
  total.iterations += report.iterations;
  if (report.status != SolveStatus::converged) {
    if (total.unconverged++ == 0) {
      total.status = report.status;
      total.reason = report.reason;
    }
  }
  const double residual = judgement_of(report.residual).value(measure);
  if (!(residual <= total.residual)) {
    total.residual = residual;
    total.worst = worst;
  }
}

// A scene is at rest where its warm start comes within this factor of the tolerance.
constexpr double kNearlySolved = 100;
// It is then brought down towards this share of the tolerance, and left alone below it; below the second share where
// the first could not be reached.
constexpr double kReserve = 1e-3;
constexpr double kNearReserve = 0.1;
constexpr long kSettlingIterations = 20;

enum class Need { nothing, settling, solving };

Need need_of(const Judgement& judgement, const StopOptions& stop, bool at_reserve) {
  StopOptions accepted = stop;
  accepted.tolerance *= at_reserve ? kReserve : kNearReserve;
  if (meets(judgement, accepted)) return Need::nothing;
  return judgement.value(stop.measure) <= kNearlySolved * stop.tolerance ? Need::settling : Need::solving;
}

// One graph: a few iterations where it is nearly solved, all it takes where that was not enough.
SolveReport solve_one(LocalDynamics& ldy, Need need, const SolverEntry& solver, const StopOptions& stop,
                      const StopOptions& reserve) {
  if (need == Need::solving) return solver.solve(ldy, stop, kFacets);
  SolveReport settled = solver.solve(ldy, reserve, kFacets);
  if (meets(judgement_of(settled.residual), stop)) {
    settled.status = SolveStatus::converged;
    settled.reason.clear();
  }
  if (settled.status == SolveStatus::converged) return settled;
  SolveReport solved = solver.solve(ldy, stop, kFacets);
  solved.iterations += settled.iterations;
  return solved;
}

// Did an island that was brought towards the reserve get there?
bool reached(const SolveReport& report, Need need, const StopOptions& reserve) {
  return need != Need::settling || meets(judgement_of(report.residual), reserve);
}

// Several islands at once; a fault is handed on, of several that of the first island.
std::vector<SolveReport> solve_all(std::vector<LocalDynamics>& graphs, std::span<const Need> needs,
                                   const SolverEntry& solver, const StopOptions& stop, const StopOptions& reserve) {
  std::vector<SolveReport> reports(graphs.size());
  std::vector<std::exception_ptr> faults(graphs.size());
  StopOptions one = stop, one_reserve = reserve;
  one.threads = one_reserve.threads = 1;
  const auto count = static_cast<std::int64_t>(graphs.size());
#pragma omp parallel for schedule(dynamic, 1) num_threads(stop.threads) if (stop.threads > 1 && count > 1)
  for (std::int64_t i = 0; i < count; ++i) {
    try {
      reports[i] = solve_one(graphs[i], needs[i], solver, one, one_reserve);
    } catch (...) {
      faults[i] = std::current_exception();
    }
  }
  for (const std::exception_ptr& fault : faults) {
    if (fault) std::rethrow_exception(fault);
  }
  return reports;
}

}  // namespace

IslandsReport solve_islands(LocalDynamics& ldy, const Islands& islands, const SolverEntry& solver,
                            const StopOptions& stop, bool& at_reserve) {
  check_options(stop, solver.name);
  StopOptions limits = stop;
  limits.max_seconds = std::numeric_limits<double>::infinity();
  StopOptions reserve = limits;
  reserve.tolerance = kReserve * stop.tolerance;
  reserve.max_iterations = std::min(kSettlingIterations, stop.max_iterations);

  IslandsReport total;
  const std::vector<Residual> judged = evaluate_residuals(ldy, islands, stop.threads);
  std::vector<std::span<const ConstraintId>> open;
  std::vector<Need> needs;
  for (Index i = 0; i < islands.count; ++i) {
    const Judgement judgement = judgement_of(judged[i]);
    const Need need = need_of(judgement, stop, at_reserve);
    if (need != Need::nothing) {
      open.push_back(islands.island(i));
      needs.push_back(need);
    } else if (const double residual = judgement.value(stop.measure); residual > total.residual) {
      total.residual = residual;
      total.worst = judged[i].worst;
    }
  }
  if (open.empty()) return total;
  at_reserve = true;

  if (islands.count == 1) {
    const SolveReport report = solve_one(ldy, needs[0], solver, limits, reserve);
    at_reserve = reached(report, needs[0], reserve);
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
    hand_back(graphs[i], open[i], ldy);
    at_reserve = at_reserve && reached(reports[i], needs[i], reserve);
    const ConstraintId worst = reports[i].residual.worst;
    add(total, reports[i], worst == kNone ? kNone : open[i][worst], stop.measure);
  }
  return total;
}

}  // namespace locdyn
