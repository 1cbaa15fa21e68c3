#pragma once
// Every chosen solver on every problem found: what compare and bench have in common.

#include <functional>
#include <string>
#include <vector>

#include "problems.hpp"
#include "run.hpp"
#include "solver_options.hpp"

namespace locdyn::app {

struct Campaign {
  std::vector<Run> runs;
  std::vector<std::string> faults;  ///< one line for each input that could not be read or run
  bool interrupted = false;         ///< ended before all was done

  /// kInterrupted where it was, else kBad where there is a fault, else kNotConverged where some run did not converge,
  /// else kConverged.
  [[nodiscard]] int status() const;
};

/// What is told on the way; each may be empty.
struct CampaignEvents {
  std::function<void(std::size_t run, std::size_t of, const std::string& name)> start;  ///< counted from 1
  std::function<void(const Run&)> done;
  std::function<void(const Campaign& so_far)> kept;  ///< after each run
  std::function<void(const std::string& line)> fault;
  std::function<bool()> interrupted;  ///< asked before each run: ends the campaign, as `InterruptGuard` ends the run
};

/// Loads each problem once and runs the solvers on it in turn, each from R = 0. A fault ends that problem or run, not
/// the campaign.
[[nodiscard]] Campaign run_campaign(const ProblemList& list, const std::vector<const SolverEntry*>& solvers,
                                    const SolverOptions& options, const CampaignEvents& events);

}  // namespace locdyn::app
