#include <locdyn/ldy/islands.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <locdyn/ldy/component_visit.hpp>
#include <locdyn/ldy/joined_groups.hpp>

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

void label_by_factor(const LocalDynamics& ldy, std::span<const ConstraintId> ids, const DelassusFactor& factor,
                     Islands& islands) {
  // What acts on no body is an island by itself, and a group that none of the factor's is.
  auto groups = static_cast<Index>(factor.group_count());
  const auto* arena = ldy.diagonal_arena().data();
  std::vector<Index> group_of;  // by place in `ids`; all rows of a constraint act on the same bodies: the first tells
  group_of.reserve(ids.size());
  JoinedGroups joined(factor.group_count());
  for (const ConstraintId id : ids) {
    const auto couplings = factor.couplings(static_cast<Index>(&ldy.row(id) - arena));
    joined.join(couplings);
    group_of.push_back(couplings.empty() ? groups++ : couplings[0].body);
  }
  std::vector<Index> least(groups, kNone);  // id, by the set's member
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (group_of[i] < factor.group_count()) group_of[i] = joined.find(group_of[i]);
    Index& of_set = least[group_of[i]];
    of_set = std::min(of_set, static_cast<Index>(ids[i].value()));
  }
  std::vector<std::pair<Index, Index>> sets;  // least id, member
  for (Index group = 0; group < groups; ++group) {
    if (least[group] != kNone) sets.emplace_back(least[group], group);
  }
  std::sort(sets.begin(), sets.end());
  std::vector<Index> label(groups);
  for (const auto& [id, group] : sets) label[group] = islands.count++;
  for (std::size_t i = 0; i < ids.size(); ++i) islands.label[ids[i]] = label[group_of[i]];
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
