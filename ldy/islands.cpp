#include <locdyn/ldy/islands.hpp>

namespace locdyn {

Islands find_islands(const LocalDynamics& ldy) {
  Islands islands;
  islands.label.assign(ldy.id_bound(), kNone);
  const auto diagonal = ldy.diagonal_arena();
  std::vector<ConstraintId> open;
  for (ConstraintId seed = 0; seed < ldy.id_bound(); ++seed) {
    if (!ldy.contains(seed) || islands.label[seed] != kNone) continue;

    // Flood from the smallest id that has no label yet. All rows of two coupled constraints are linked: one row tells.
    islands.label[seed] = islands.count;
    open.push_back(seed);
    while (!open.empty()) {
      const ConstraintId constraint = open.back();
      open.pop_back();
      for (const OffDiagonalBlock& block : ldy.adjacent(ldy.row(constraint))) {
        const ConstraintId neighbour = diagonal[block.other].constraint;
        if (islands.label[neighbour] != kNone) continue;
        islands.label[neighbour] = islands.count;
        open.push_back(neighbour);
      }
    }
    ++islands.count;
  }
  return islands;
}

}  // namespace locdyn
