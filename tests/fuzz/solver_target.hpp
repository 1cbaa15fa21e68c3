#pragma once
// A random problem and what a solver made of it.

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/registry.hpp>

#include "fuzz_target.hpp"

namespace locdyn::fuzz {

struct RandomGraph {
  LocalDynamics ldy;
  bool meaningless = false;  ///< a number that is none is in it: every solver must refuse
};

/// Of 1 … 6 constraints with any law; W of any rank, unsymmetric, with zeros, in units from 1e-100 to 1e100.
[[nodiscard]] RandomGraph random_graph(Bytes bytes);

enum class Outcome { refused, converged, unsolved };

/// Solves a copy; throws `Broken` where the report is not true.
[[nodiscard]] Outcome try_solver(const SolverEntry& solver, const RandomGraph& problem);

}  // namespace locdyn::fuzz
