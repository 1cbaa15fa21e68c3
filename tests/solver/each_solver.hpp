#pragma once
// The solvers of the round cone in the registry, one after the other.

#include <doctest/doctest.h>

#include <locdyn/solver/registry.hpp>
#include <string>

namespace locdyn::test {

/// Calls `work` with each solver: a function of (graph, stop).
template <class Work>
void with_each_solver(const Work& work) {
  int count = 0;
  for (const SolverEntry& solver : solvers()) {
    if (solver.pyramid) continue;
    const std::string name(solver.name);
    CAPTURE(name);
    work([&solver](LocalDynamics& ldy, const StopOptions& stop = {}) { return solver.solve(ldy, stop, 8); });
    ++count;
  }
  CHECK(count >= 8);  // none is left out unseen
}

/// One hard bilateral row, along n.
inline Law normal_row() {
  BilateralLaw law;
  law.block[0].rows = kRowNormal;
  return law;
}

}  // namespace locdyn::test
