#pragma once
// The solvers by name, for the command line, benchmarks and scenes: a new solver is a new file and one line here.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/solver/solve_options.hpp>

namespace locdyn {

/// What a caller may choose of a solver that has it, beside limits and tolerance.
struct SolverChoices {
  SolverChoices(int facets_of_pyramid = 8) : facets(facets_of_pyramid) {}  // NOLINT: of most solvers this is all
  /// Stages that `auto` leaves out.
  explicit SolverChoices(std::vector<std::string> left_out) : facets(8), without(std::move(left_out)) {}

  int facets;                        ///< of a pyramid
  std::vector<std::string> without;  ///< stages that `auto` leaves out
  bool swept = false;                ///< with others until sweeps promised too little: `auto` does not begin with more
};

/// A solver as others see it.
struct SolverEntry {
  std::string_view name;     ///< on the command line and in scenes
  std::string_view summary;  ///< one sentence: what it is and when to use it
  bool pyramid;              ///< converges on its own pyramid's residual, not the round cone's
  SolveReport (*solve)(LocalDynamics&, const StopOptions&, const SolverChoices&);  ///< solves the graph in place
  bool sweeps_first = false;  ///< in steps small islands are swept together first, what rests is settled by Newton
  bool by_name_only = false;  ///< not run where all are asked for: most problems give it nothing of its own to do
};

/// All solvers, `auto` first.
[[nodiscard]] std::span<const SolverEntry> solvers();

/// The solver of that name. Throws std::invalid_argument listing the names there are.
[[nodiscard]] const SolverEntry& find_solver(std::string_view name);

}  // namespace locdyn
