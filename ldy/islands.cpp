#include <locdyn/ldy/islands.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
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
  auto groups = static_cast<Index>(factor.group_count());
  const auto* arena = ldy.diagonal_arena().data();
  std::vector<Index> group_of;  // by place in `ids`; all rows of a constraint act on the same bodies: the first tells
  group_of.reserve(ids.size());
  JoinedGroups joined(factor.group_count());
  for (const ConstraintId id : ids) {
    const auto couplings = factor.couplings(static_cast<Index>(&ldy.row(id) - arena));
    group_of.push_back(couplings.empty() ? groups++ : couplings[0].body);
    if (couplings.size() < 2) continue;
    for (const Coupling& c : couplings.subspan(1)) joined.join(couplings[0].body, c.body);
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
