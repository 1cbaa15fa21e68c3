#include <locdyn/ldy/group_levels.hpp>

namespace locdyn::detail {
namespace {

// By group those that a row acts on together with it, in the order of the rows; the same one twice on end is left out.
class Neighbours {
 public:
  Neighbours(const DelassusFactor& factor, std::span<const Index> rows)
      : first_(factor.group_count() + 1, 0), count_(factor.group_count(), 0), acted_on_(factor.group_count(), 0) {
    for (const Index row : rows) {
      const auto couplings = factor.couplings(row);
      for (const Coupling& c : couplings) first_[c.body + 1] += static_cast<Index>(couplings.size() - 1);
    }
    for (std::size_t group = 1; group < first_.size(); ++group) first_[group] += first_[group - 1];
    of_group_.resize(first_.back());
    for (const Index row : rows) {
      const auto couplings = factor.couplings(row);
      for (const Coupling& c : couplings) {
        acted_on_[c.body] = 1;
        for (const Coupling& other : couplings) add(c.body, other.body);
      }
    }
  }

  [[nodiscard]] bool acted_on(Index group) const noexcept { return acted_on_[group] != 0; }
  [[nodiscard]] std::span<const Index> of(Index group) const noexcept {
    return {of_group_.data() + first_[group], count_[group]};
  }

 private:
  void add(Index group, Index other) {
    if (group == other) return;
    Index* end = of_group_.data() + first_[group] + count_[group];
    if (count_[group] > 0 && end[-1] == other) return;
    *end = other;
    ++count_[group];
  }

  std::vector<Index> first_, count_, of_group_;
  std::vector<std::uint8_t> acted_on_;
};

// What hangs together with a group, in the order in which it is met; their levels from `first` on.
void search(const Neighbours& neighbours, Index from, Index first, std::vector<Index>& level, std::vector<Index>& met) {
  met.assign(1, from);
  level[from] = first;
  for (std::size_t next = 0; next < met.size(); ++next) {
    const Index below = level[met[next]] + 1;
    for (const Index other : neighbours.of(met[next])) {
      if (level[other] != kNone) continue;
      level[other] = below;
      met.push_back(other);
    }
  }
}

}  // namespace

std::vector<Index> group_levels(const DelassusFactor& factor, std::span<const Index> rows) {
  const Neighbours neighbours(factor, rows);
  std::vector<Index> trial(factor.group_count(), kNone), level = trial, met;
  Index first = 0;
  for (Index group = 0; group < level.size(); ++group) {
    if (level[group] != kNone || !neighbours.acted_on(group)) continue;
    // The one met last from the one met last from any.
    Index end = group;
    for (int turn = 0; turn < 2; ++turn) {
      search(neighbours, end, 0, trial, met);
      for (const Index seen : met) trial[seen] = kNone;
      end = met.back();
    }
    search(neighbours, end, first, level, met);
    first = level[met.back()] + 1;
  }
  return level;
}

}  // namespace locdyn::detail
