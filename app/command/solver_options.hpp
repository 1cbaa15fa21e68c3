#pragma once
// The options that solve, compare and bench share: which solver, how far, how long, on how many threads.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include <locdyn/solver/registry.hpp>

namespace locdyn::app {

struct SolverOptions {
  std::string solvers;  ///< names with commas between them; empty: all there are
  std::string measure = "scaled";
  double tolerance = 1e-8;
  double max_seconds = 0;  ///< 0: no limit
  long max_iterations = 1'000'000;
  int threads = 1;
  int facets = 8;
  std::string without;  ///< stages that `auto` leaves out, with commas between them
};

/// Adds --solvers.
void add_solver_list(CLI::App& parser, SolverOptions& options);

/// Adds --tol, --measure, --max-time, --max-iterations, --threads, --facets and --without.
void add_stop_options(CLI::App& parser, SolverOptions& options);

/// Checks every field. Throws UsageError naming the option, what it expects and what it found.
[[nodiscard]] StopOptions checked_stop(const SolverOptions& options);

/// The names in a list with commas between them.
[[nodiscard]] std::vector<std::string> names_of(const std::string& list);

/// Facets and stages left out. Throws UsageError for a stage that `auto` does not have.
[[nodiscard]] SolverChoices checked_choices(const SolverOptions& options);

/// The solvers named, all there are where none is. Throws std::invalid_argument listing the names for an unknown one.
[[nodiscard]] std::vector<const SolverEntry*> chosen_solvers(const SolverOptions& options);

/// "auto, nsgs, …": for help texts.
[[nodiscard]] std::string solver_names();

}  // namespace locdyn::app
