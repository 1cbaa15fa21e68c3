#pragma once
// Islands: the connected components of the graph. No reaction in one island changes a velocity in another, so that
// each can be solved, judged and put to sleep by itself.

#include <span>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

struct Islands {
  std::vector<Index> label;           ///< by constraint id: its island, 0 … count − 1; kNone where the id is free
  Index count = 0;                    ///< how many there are
  std::vector<ConstraintId> members;  ///< of one island after the other, each in sweep order
  std::vector<Index> first;           ///< of each island in `members`, one more at the end

  /// Its constraints.
  [[nodiscard]] std::span<const ConstraintId> island(Index i) const {
    return {members.data() + first[i], first[i + 1] - first[i]};
  }
};

/// The islands of the graph, numbered in the order of their smallest constraint id, so that neither history nor packing
/// changes a label. Found by the groups of velocities that constraints share where the graph knows its factor and has
/// no blocks, else by the blocks. Cost: one visit of every constraint, and of every coupling or block.
[[nodiscard]] Islands find_islands(const LocalDynamics& ldy);

}  // namespace locdyn
