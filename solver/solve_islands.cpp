#include <locdyn/solver/solve_islands.hpp>

#include <cstdint>
#include <exception>
#include <limits>

#include <locdyn/solver/iterate_watch.hpp>

namespace locdyn {
namespace {

constexpr int kFacets = 8;  // of a pyramid, where the solver has one

// Several islands at once. A fault is handed on: that of the whole graph, whose ids the caller knows, else that of the
// first island.
std::vector<SolveReport> solve_all(const LocalDynamics& ldy, std::vector<LocalDynamics>& graphs,
                                   const SolverEntry& solver, const StopOptions& stop) {
  std::vector<SolveReport> reports(graphs.size());
  std::vector<std::exception_ptr> faults(graphs.size());
  StopOptions each = stop;
  each.threads = 1;
  const auto count = static_cast<std::int64_t>(graphs.size());
#pragma omp parallel for schedule(dynamic, 1) num_threads(stop.threads) if (stop.threads > 1 && count > 1)
  for (std::int64_t i = 0; i < count; ++i) {
    try {
      reports[i] = solver.solve(graphs[i], each, kFacets);
    } catch (...) {
      faults[i] = std::current_exception();
    }
  }
  for (const std::exception_ptr& fault : faults) {
    if (!fault) continue;
    check_problem(ldy, solver.name);
    std::rethrow_exception(fault);
  }
  return reports;
}

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

}  // namespace

IslandsReport solve_islands(LocalDynamics& ldy, const Islands& islands, const SolverEntry& solver,
                            const StopOptions& stop) {
  check_options(stop, solver.name);
  StopOptions limits = stop;
  limits.max_seconds = std::numeric_limits<double>::infinity();

  IslandsReport total;
  const std::vector<Residual> judged = evaluate_residuals(ldy, islands, stop.threads);
  std::vector<std::span<const ConstraintId>> open;
  for (Index i = 0; i < islands.count; ++i) {
    const Judgement judgement = judgement_of(judged[i]);
    if (!meets(judgement, stop)) {
      open.push_back(islands.island(i));
    } else if (const double residual = judgement.value(stop.measure); residual > total.residual) {
      total.residual = residual;
      total.worst = judged[i].worst;
    }
  }
  if (open.empty()) return total;

  if (islands.count == 1) {
    const SolveReport report = solver.solve(ldy, limits, kFacets);
    add(total, report, report.residual.worst, stop.measure);
    return total;
  }
  std::vector<LocalDynamics> graphs = ldy.extract(open);
  const std::vector<SolveReport> reports = solve_all(ldy, graphs, solver, limits);
  for (std::size_t i = 0; i < open.size(); ++i) {
    hand_back(graphs[i], open[i], ldy);
    const ConstraintId worst = reports[i].residual.worst;
    add(total, reports[i], worst == kNone ? kNone : open[i][worst], stop.measure);
  }
  return total;
}

}  // namespace locdyn
