#include <locdyn/solver/saddle/condensed.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <locdyn/solver/registry.hpp>
#include <locdyn/solver/saddle/condensation.hpp>

namespace locdyn::detail {
namespace {

constexpr int kRounds = 4;  // the contacts' residual among themselves is not that of the whole graph

bool has_joints(const LocalDynamics& ldy) {
  for (const DiagonalBlock& row : ldy.rows()) {
    if (is_bilateral(ldy.law(row.constraint))) return true;
  }
  return false;
}

}  // namespace

SolveReport solve_condensed(LocalDynamics& ldy, const CondensedOptions& options) {
  const SolverEntry& inner = find_solver(options.contact_solver);
  if (inner.name == "condensed") {
    throw std::invalid_argument("condensed: contact_solver: expected another solver, found 'condensed'");
  }
  const StopOptions& stop = options.stop;
  if (ldy.factor() == nullptr || !has_joints(ldy)) {
    AutoOptions whole;
    whole.stop = stop;
    return solve_auto(ldy, whole);
  }
  IterateWatch watch(ldy, stop, "condensed");
  SolveReport& report = watch.report();
  if (meets(judge_by_residual(ldy, stop.threads), stop)) {
    watch.judge(0);
    return watch.finish(0);
  }

  std::optional<Condensation> condensation;
  const double entered = watch.seconds();
  try {
    condensation.emplace(ldy);
  } catch (const std::runtime_error& fault) {
    watch.judge(0);
    return watch.finish(SolveStatus::failed, fault.what(), 0);
  }
  ++report.factorisations;
  report.stages.factorisation = watch.seconds() - entered;

  // The joints that go with the contacts' warm start; then the contacts, more closely where the whole asks for it.
  condensation->recover(ldy);
  double measure = watch.judge(0);
  SolveStatus status = SolveStatus::max_iterations;
  std::string reason = kIterationLimit;
  StopOptions contacts = stop;
  long done = 0;
  const bool any = condensation->contacts().constraint_count() > 0;
  for (int round = 0; any && round < kRounds && !watch.converged() && done < stop.max_iterations; ++round) {
    const StopOptions left = watch.left(done);
    contacts.max_iterations = left.max_iterations;
    contacts.max_seconds = left.max_seconds;
    if (round > 0) contacts.tolerance *= std::min(0.1, 0.1 * stop.tolerance / measure);
    const SolveReport turn = inner.solve(condensation->contacts(), contacts, options.facets);
    done += turn.iterations;
    report.add_cost(turn);
    condensation->recover(ldy);
    measure = watch.judge(done);
    if (turn.status != SolveStatus::converged) {
      status = turn.status;
      reason = "contacts: " + turn.reason;
      break;
    }
    status = SolveStatus::stalled;
    reason = "the contacts' solution is not one of the whole";
  }
  if (!condensation->contradiction().empty()) {
    status = SolveStatus::failed;
    reason = "joints contradict each other: " + condensation->contradiction();
  } else if (!any) {
    status = SolveStatus::stalled;
    reason = "the joints' factor leaves more than the tolerance";
  }
  return watch.finish(status, reason, done);
}

}  // namespace locdyn::detail
