#pragma once
// The connected components of a global problem, in the pattern of M and G: what is solved apart.

#include <vector>

#include <locdyn/ldy/global_problem.hpp>
#include <locdyn/solver/global/component.hpp>

namespace locdyn::detail {

/// Components in the order of their first velocity, each with its velocities, bilateral rows, blocks and H, not yet
/// factored. Those without bilateral rows on which the same contacts act are one as long as they have up to 12
/// velocities: a diagonal mass matrix has one component a velocity, and a body should be a body. M, H and G hold no
/// zeros. Throws std::invalid_argument where a bilateral row acts on nothing and is not met.
[[nodiscard]] std::vector<GlobalComponent> find_components(const GlobalProblem& problem);

}  // namespace locdyn::detail
