#include <locdyn/ldy/islands.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include <locdyn/ldy/component_visit.hpp>

namespace locdyn {
using namespace detail;
namespace {

void label_by_blocks(const LocalDynamics& ldy, Islands& islands) {
  std::vector<ConstraintId> open;
  for (ConstraintId seed{0}; seed < ldy.id_bound(); ++seed) {  // the smallest id that has no label yet
    if (!ldy.contains(seed) || islands.label[seed] != kNone) continue;
    visit_component(ldy, seed, open, [&](ConstraintId id) {
      if (islands.label[id] != kNone) return false;
      islands.label[id] = islands.count;
      return true;
    });
    ++islands.count;
  }
}

// Sets of groups that constraints have joined, each by one of its members (Tarjan, J. ACM 22 (1975) 215–225).
class JoinedGroups {
 public:
  explicit JoinedGroups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }

  std::uint32_t find(std::uint32_t group) {
    while (parent_[group] != group) group = parent_[group] = parent_[parent_[group]];
    return group;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

void label_by_factor(const LocalDynamics& ldy, const DelassusFactor& factor, Islands& islands) {
  const auto* arena = ldy.diagonal_arena().data();
  // All rows of a constraint act on the same bodies: the first tells.
  const auto couplings_of = [&](ConstraintId id) { return factor.couplings(static_cast<Index>(&ldy.row(id) - arena)); };
  JoinedGroups joined(factor.group_count());
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    const auto couplings = couplings_of(id);
    for (const Coupling& c : couplings) joined.join(couplings[0].body, c.body);
  }
  std::vector<Index> label(factor.group_count(), kNone);  // by the set's member
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    const auto couplings = couplings_of(id);
    if (couplings.empty()) {
      islands.label[id] = islands.count++;
      continue;
    }
    Index& of_set = label[joined.find(couplings[0].body)];
    if (of_set == kNone) of_set = islands.count++;
    islands.label[id] = of_set;
  }
}

// A counting sort of the constraints by island.
void list_members(const LocalDynamics& ldy, Islands& islands) {
  islands.first.assign(islands.count + 1, 0);
  for (const Index label : islands.label) {
    if (label != kNone) ++islands.first[label + 1];
  }
  for (Index i = 0; i < islands.count; ++i) islands.first[i + 1] += islands.first[i];
  islands.members.resize(islands.first.back());
  std::vector<Index> next(islands.first.begin(), islands.first.end() - 1);
  ConstraintId last{kNone};
  for (const DiagonalBlock& row : ldy.rows()) {
    if (row.constraint != last) islands.members[next[islands.label[row.constraint]]++] = row.constraint;
    last = row.constraint;
  }
}

}  // namespace

Islands find_islands(const LocalDynamics& ldy) {
  Islands islands;
  islands.label.assign(ldy.id_bound(), kNone);
  if (!ldy.has_blocks() && ldy.factor() != nullptr) {
    label_by_factor(ldy, *ldy.factor(), islands);
  } else {
    label_by_blocks(ldy, islands);
  }
  list_members(ldy, islands);
  return islands;
}

}  // namespace locdyn
