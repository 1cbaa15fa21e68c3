#pragma once
// A graph of contacts as Siconos takes it: u = M r + q, normal first in each contact, M in blocks of 3 × 3.

#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

struct FrictionContactProblem;

namespace locdyn::peer {

/// Whether every constraint is a contact in 3D: what Siconos' solvers of the local problem take.
[[nodiscard]] bool is_local_3d(const LocalDynamics& ldy);

/// Siconos' own copy, contacts in order of id; q = B + σ. It is never freed: a run ends with its process.
[[nodiscard]] FrictionContactProblem* make_problem(const LocalDynamics& ldy);

/// R of the graph from three numbers a contact, normal first.
void take_reactions(LocalDynamics& ldy, const std::vector<double>& reactions);

}  // namespace locdyn::peer
