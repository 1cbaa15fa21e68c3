#pragma once
// Joints exactly, contacts by iteration: the joints are condensed (condensation.hpp), any solver of the registry works
// on the contacts that are left, and the joints' reactions follow. Joint rows hold to rounding after any number of
// iterations.

#include <string>

#include <locdyn/solver/solve_options.hpp>

namespace locdyn::detail {

struct CondensedOptions {
  StopOptions stop;                     ///< judged on the whole graph; iterations are those of the contact solver
  std::string contact_solver = "auto";  ///< by its name in the registry, other than "condensed" itself
  int facets = 8;                       ///< of a pyramid, ≥ 3, where that solver has one
};

/// Solves to the tolerance. R on entry is the warm start: that of the joints is not used, unless all of it is good
/// enough already. Where the graph does not know its factor, or holds no bilateral rows, there is nothing to condense:
/// `auto` solves it, and its report is given. Joints that contradict each other are met in the least-squares sense, and
/// the status is `failed`, naming the row. Throws std::invalid_argument as `check_options` and `check_problem` do, and
/// for an unknown contact solver.
[[nodiscard]] SolveReport solve_condensed(LocalDynamics& ldy, const CondensedOptions& options);

}  // namespace locdyn::detail
