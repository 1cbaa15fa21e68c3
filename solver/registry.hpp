#pragma once
// The solvers by name, for the command line, benchmarks and scenes: a new solver is a new file and one line here.

#include <span>
#include <string>
#include <string_view>

#include <locdyn/solver/solve_options.hpp>

namespace locdyn {

struct SolverEntry {
  std::string_view name;
  std::string_view summary;  ///< one sentence: what it is and when to use it
  bool pyramid;              ///< converges on its own pyramid's residual, not the round cone's
  SolveReport (*solve)(LocalDynamics&, const StopOptions&, int facets);  ///< facets: pyramids alone
  bool by_name_only = false;  ///< not run where all are asked for: most problems give it nothing of its own to do
};

/// All solvers, `auto` first.
[[nodiscard]] std::span<const SolverEntry> solvers();

/// The solver of that name. Throws std::invalid_argument listing the names there are.
[[nodiscard]] const SolverEntry& find_solver(std::string_view name);

}  // namespace locdyn
