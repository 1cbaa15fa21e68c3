#pragma once
// Built-in problems as parts of ranks.

#include <string>
#include <vector>

#include <locdyn/distributed/problem_part.hpp>
#include "builtin/builtin.hpp"

namespace locdyn::distributed {

/// By group of the problem's factor: its body.
[[nodiscard]] inline std::vector<BodyId> bodies_by_group(const BuiltinProblem& problem) {
  const LocalDynamics& ldy = *problem.ldy;
  std::vector<BodyId> body(ldy.factor()->group_count());
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    const auto couplings = ldy.factor()->couplings(static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data()));
    std::size_t at = 0;
    for (const BodyId moving : problem.assembly->constraint(id).bodies()) {
      if ((*problem.bodies)[moving].freedoms() > 0) body[couplings[at++].body] = moving;
    }
  }
  return body;
}

[[nodiscard]] inline ProblemPart part_of(const BuiltinProblem& problem, MPI_Comm comm) {
  const std::vector<BodyId> body = bodies_by_group(problem);
  return part_of_graph(
      *problem.ldy,
      [&](std::uint32_t group) { return (*problem.bodies)[body[group]].to_space(Eigen::Vector3d::Zero()); },
      rank_of(comm), size_of(comm));
}

}  // namespace locdyn::distributed
