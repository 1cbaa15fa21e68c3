#pragma once
// A built-in problem as parts of ranks. Every rank makes the whole and hands in its share.

#include <vector>

#include <locdyn/distributed/problem_part.hpp>
#include "builtin/builtin.hpp"

namespace locdyn::distributed {

/// This rank's share; bodies are named by the groups of the problem's factor. Cost: one pass over the problem.
[[nodiscard]] inline ProblemPart builtin_part(const BuiltinProblem& problem, MPI_Comm comm) {
  const std::span<const BodyId> body = problem.assembly->kinematics().bodies();
  return part_of_graph(
      *problem.ldy, [&](std::uint32_t group) -> const Body& { return (*problem.bodies)[body[group]]; }, rank_of(comm),
      size_of(comm));
}

}  // namespace locdyn::distributed
