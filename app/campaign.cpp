#include "campaign.hpp"

#include <new>
#include <optional>

#include "command.hpp"
#include "interrupt.hpp"

namespace locdyn::app {

int Campaign::status() const {
  if (interrupted) return kInterrupted;
  if (!faults.empty()) return kBad;
  for (const Run& run : runs) {
    if (run.report.status != SolveStatus::converged) return kNotConverged;
  }
  return kConverged;
}

Campaign run_campaign(const ProblemList& list, const std::vector<const SolverEntry*>& solvers,
                      const SolverOptions& options, const CampaignEvents& events) {
  StopOptions stop = checked_stop(options);
  stop.interrupt = &InterruptGuard::flag();
  Campaign campaign;
  const auto fault = [&](const std::string& line) {
    campaign.faults.push_back(line);
    if (events.fault) events.fault(line);
  };
  for (const std::string& line : list.faults) fault(line);

  const auto ended = [&] { return campaign.interrupted = events.interrupted && events.interrupted(); };
  for (std::size_t at = 0; at < list.problems.size() && !ended(); ++at) {
    const ProblemSource& source = list.problems[at];
    std::unique_ptr<LoadedProblem> problem;
    try {
      problem = source.load();
    } catch (const std::bad_alloc&) {
      fault(source.name + ": expected a problem that fits into memory, found a larger one");
    } catch (const std::exception& error) {
      fault(error.what());
    }
    if (!problem) continue;
    std::size_t place = at * solvers.size();
    for (const SolverEntry* solver : solvers) {
      if (ended()) return campaign;
      std::optional<Run> run;
      ++place;
      if (events.start)
        events.start(place, list.problems.size() * solvers.size(), source.name + "  " + std::string(solver->name));
      try {
        run = run_solver(problem->ldy, source.name, *solver, stop, checked_choices(options));
      } catch (const std::bad_alloc&) {
        fault(source.name + ": " + std::string(solver->name) + ": expected enough memory, found too little");
      } catch (const std::exception& error) {
        fault(source.name + ": " + std::string(solver->name) + ": " + error.what());
      }
      if (!run) continue;
      if (events.done) events.done(*run);
      run->report.history.clear();
      campaign.runs.push_back(std::move(*run));
      if (events.kept) events.kept(campaign);
    }
  }
  return campaign;
}

}  // namespace locdyn::app
