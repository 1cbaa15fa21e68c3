#pragma once
// Which solver to use when, computed from runs: who converged on most, who was fastest where, and whether the size of
// a problem tells which.

#include <span>
#include <string>
#include <vector>

#include "run.hpp"

namespace locdyn::app {

/// What one solver did over all problems.
struct SolverSummary {
  std::string solver;
  bool pyramid = false;
  std::size_t runs = 0, converged = 0;
  double seconds = 0;       ///< of all its runs, converged or not
  std::size_t fastest = 0;  ///< problems on which it converged first among solvers of the same cone
};

/// One summary a solver, in the order in which the runs name them.
[[nodiscard]] std::vector<SolverSummary> summaries(std::span<const Run> runs);

/// One or two sentences; empty where there are no runs. Pyramids are judged apart: they solve another problem.
[[nodiscard]] std::string advice(std::span<const Run> runs);

}  // namespace locdyn::app
