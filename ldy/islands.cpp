#include <locdyn/ldy/islands.hpp>

namespace locdyn {
namespace {

// A counting sort of the constraints by island.
void list_members(const LocalDynamics& ldy, Islands& islands) {
  islands.first.assign(islands.count + 1, 0);
  for (const Index label : islands.label) {
    if (label != kNone) ++islands.first[label + 1];
  }
  for (Index i = 0; i < islands.count; ++i) islands.first[i + 1] += islands.first[i];
  islands.members.resize(islands.first.back());
  std::vector<Index> next(islands.first.begin(), islands.first.end() - 1);
  ConstraintId last = kNone;
  for (const DiagonalBlock& row : ldy.rows()) {
    if (row.constraint != last) islands.members[next[islands.label[row.constraint]]++] = row.constraint;
    last = row.constraint;
  }
}

}  // namespace

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
  list_members(ldy, islands);
  return islands;
}

}  // namespace locdyn
