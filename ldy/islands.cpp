#include <locdyn/ldy/islands.hpp>

#include <locdyn/ldy/flood.hpp>

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
  std::vector<ConstraintId> open;
  for (ConstraintId seed = 0; seed < ldy.id_bound(); ++seed) {  // the smallest id that has no label yet
    if (!ldy.contains(seed) || islands.label[seed] != kNone) continue;
    flood(ldy, seed, open, [&](ConstraintId id) {
      if (islands.label[id] != kNone) return false;
      islands.label[id] = islands.count;
      return true;
    });
    ++islands.count;
  }
  list_members(ldy, islands);
  return islands;
}

}  // namespace locdyn
