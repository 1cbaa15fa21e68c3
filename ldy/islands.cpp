#include <locdyn/ldy/islands.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

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

// Sets of groups that constraints have joined, each by its least member (Tarjan, J. ACM 22 (1975) 215–225).
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

void label_by_factor(const LocalDynamics& ldy, std::span<const ConstraintId> ids, const DelassusFactor& factor,
                     Islands& islands) {
  // What acts on no body is an island by itself, and a group that none of the factor's is.
  const auto group_count = static_cast<Index>(factor.group_count());
  Index groups = group_count;
  const auto* arena = ldy.diagonal_arena().data();
  std::vector<Index>& label = islands.label;  // at first a group that the constraint acts on
  JoinedGroups joined(group_count);
  for (const ConstraintId id : ids) {  // all rows of a constraint act on the same bodies: the first tells
    const auto couplings = factor.couplings(static_cast<Index>(&ldy.row(id) - arena));
    label[id] = couplings.empty() ? groups++ : couplings[0].body;
    for (std::size_t k = 1; k < couplings.size(); ++k) joined.join(couplings[0].body, couplings[k].body);
  }
  // The least id of each set of groups comes first.
  std::vector<Index> island_of(groups, kNone);  // by the set's member
  for (Index& of_id : label) {
    if (of_id == kNone) continue;  // no constraint
    Index& island = island_of[of_id < group_count ? joined.find(of_id) : of_id];
    if (island == kNone) island = islands.count++;
    of_id = island;
  }
}

// A counting sort of the constraints by island.
void list_members(std::span<const ConstraintId> ids, Islands& islands) {
  islands.first.assign(islands.count + 1, 0);
  for (const ConstraintId id : ids) ++islands.first[islands.label[id] + 1];
  for (Index i = 0; i < islands.count; ++i) islands.first[i + 1] += islands.first[i];
  islands.members.resize(islands.first.back());
  std::vector<Index> next(islands.first.begin(), islands.first.end() - 1);
  for (const ConstraintId id : ids) islands.members[next[islands.label[id]]++] = id;
}

}  // namespace

Islands find_islands(const LocalDynamics& ldy) {
  const std::vector<ConstraintId> ids = ldy.sequence();
  Islands islands;
  islands.label.assign(ldy.id_bound(), kNone);
  if (!ldy.has_blocks() && ldy.factor() != nullptr) {
    label_by_factor(ldy, ids, *ldy.factor(), islands);
  } else {
    label_by_blocks(ldy, islands);
  }
  list_members(ids, islands);
  return islands;
}

}  // namespace locdyn
