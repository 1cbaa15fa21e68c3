#pragma once
// What a constraint is linked with, over any number of steps.

#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Calls `enter(id)` for the constraints that hang together with `seed`, itself first: true where the id was not met
/// before and belongs to what is looked for. `open` is room to work in. Cost: the lists of the constraints entered.
template <class Enter>
void visit_component(const LocalDynamics& ldy, ConstraintId seed, std::vector<ConstraintId>& open, const Enter& enter) {
  if (enter(seed)) open.push_back(seed);
  while (!open.empty()) {
    const ConstraintId id = open.back();
    open.pop_back();
    // All rows of two coupled constraints are linked: one row tells.
    for (const OffDiagonalBlock& block : ldy.adjacent(ldy.row(id))) {
      const ConstraintId neighbour = ldy.diagonal_arena()[block.other].constraint;
      if (enter(neighbour)) open.push_back(neighbour);
    }
  }
}

}  // namespace locdyn::detail
