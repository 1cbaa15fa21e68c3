#pragma once
// Problems by name, as this rank's share of each.

#include <mpi.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/distributed/problem_part.hpp>

namespace locdyn::distributed {

/// "builtin", "builtin:scene:size" or "lattice:N": names, and what makes the share of the calling rank. Throws
/// std::invalid_argument for other texts.
[[nodiscard]] std::vector<std::pair<std::string, std::function<ProblemPart()>>> problems_of(const std::string& what,
                                                                                            MPI_Comm comm);

}  // namespace locdyn::distributed
