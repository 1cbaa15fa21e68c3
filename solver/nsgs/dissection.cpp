#include <locdyn/solver/nsgs/dissection.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

// Constraints and the bodies that they act on, both ways.
class Incidence {
 public:
  Incidence(const LocalDynamics& ldy, std::span<const ConstraintId> sequence)
      : factor_(*ldy.factor()), first_(factor_.group_count() + 1, 0) {
    rows_.reserve(sequence.size());
    for (const ConstraintId id : sequence) {
      rows_.push_back(static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data()));
    }
    for (const Index row : rows_) {
      for (const Coupling& c : factor_.couplings(row)) ++first_[c.body + 1];
    }
    for (std::size_t body = 1; body < first_.size(); ++body) first_[body] += first_[body - 1];
    of_body_.resize(first_.back());
    std::vector<Index> end(first_.begin(), first_.end() - 1);
    for (Index i = 0; i < rows_.size(); ++i) {
      for (const Coupling& c : factor_.couplings(rows_[i])) of_body_[end[c.body]++] = i;
    }
  }

  [[nodiscard]] std::size_t bodies() const noexcept { return first_.size() - 1; }
  [[nodiscard]] std::span<const Coupling> bodies_of(Index constraint) const {
    return factor_.couplings(rows_[constraint]);
  }
  [[nodiscard]] std::span<const Index> constraints_of(Index body) const {
    return std::span(of_body_).subspan(first_[body], first_[body + 1] - first_[body]);
  }

 private:
  const DelassusFactor& factor_;
  std::vector<Index> rows_;             // by constraint: its first row
  std::vector<Index> first_, of_body_;  // by body: its constraints
};

// Levels of a breadth-first search: the bodies in the order in which they are met.
struct Levels {
  std::vector<Index> level;  // by body; kNone where nothing acts on it
  std::vector<Index> met;
};

void search(const Incidence& graph, Index from, Index level, Levels& levels) {
  std::size_t next = levels.met.size();
  levels.level[from] = level;
  levels.met.push_back(from);
  for (; next < levels.met.size(); ++next) {
    const Index body = levels.met[next];
    for (const Index constraint : graph.constraints_of(body)) {
      for (const Coupling& c : graph.bodies_of(constraint)) {
        if (levels.level[c.body] != kNone) continue;
        levels.level[c.body] = levels.level[body] + 1;
        levels.met.push_back(c.body);
      }
    }
  }
}

// From an end of each connected part: the body met last from the body met last from any.
Levels levels_of(const Incidence& graph) {
  Levels levels{std::vector<Index>(graph.bodies(), kNone), {}}, trial = levels;
  for (Index body = 0; body < graph.bodies(); ++body) {
    if (levels.level[body] != kNone || graph.constraints_of(body).empty()) continue;
    Index end = body;
    for (int turn = 0; turn < 2; ++turn) {
      search(graph, end, 0, trial);
      for (const Index met : trial.met) trial.level[met] = kNone;
      end = trial.met.back();
      trial.met.clear();
    }
    search(graph, end, levels.met.empty() ? 0 : levels.level[levels.met.back()] + 1, levels);
  }
  return levels;
}

// By level: the domain that it belongs to. Each has two levels or more, and about `least` constraints.
std::vector<Index> domains_of(std::span<const Index> constraints_by_level, Index least) {
  std::vector<Index> domain;
  Index in_domain = 0, levels = 0, open = 0, current = 0;
  for (const Index constraints : constraints_by_level) open += constraints;
  for (const Index constraints : constraints_by_level) {
    if (levels >= 2 && in_domain >= least && open >= least) {
      ++current;
      in_domain = levels = 0;
    }
    domain.push_back(current);
    in_domain += constraints;
    open -= constraints;
    ++levels;
  }
  // The last may be left with a single level.
  if (current > 0 && levels < 2) {
    for (Index& d : domain) d = std::min(d, current - 1);
  }
  return domain;
}

}  // namespace

SweepSchedule dissected_schedule(const LocalDynamics& ldy, Index least, int threads) {
  return dissected_schedule_of(ldy, serial_schedule(ldy).sequence, least, threads);
}

SweepSchedule dissected_schedule_of(const LocalDynamics& ldy, std::vector<ConstraintId> sequence, Index least,
                                    int threads) {
  if (ldy.factor() == nullptr) {
    throw std::invalid_argument("dissection: expected a graph that knows its factor, found one that does not");
  }
  const Incidence graph(ldy, sequence);
  const Levels levels = levels_of(graph);

  // Of each constraint the least and the largest level; those that act on nothing come first.
  const auto count = static_cast<Index>(sequence.size());
  std::vector<std::pair<Index, Index>> range(count, {0, 0});
  std::vector<Index> by_level(levels.met.empty() ? 1 : levels.level[levels.met.back()] + 1, 0);
  for (Index i = 0; i < count; ++i) {
    const auto bodies = graph.bodies_of(i);
    if (!bodies.empty()) range[i] = {kNone, 0};
    for (const Coupling& c : bodies) {
      range[i].first = std::min(range[i].first, levels.level[c.body]);
      range[i].second = std::max(range[i].second, levels.level[c.body]);
    }
    ++by_level[range[i].first];
  }
  const std::vector<Index> domain = domains_of(by_level, least);
  const Index domains = domain.back() + 1;
  if (domains < 2) return grouped_schedule_of(ldy, std::move(sequence));

  std::vector<std::vector<ConstraintId>> batches(2 * domains - 1);  // domains, then seams
  for (Index i = 0; i < count; ++i) {
    const Index low = domain[range[i].first], high = domain[range[i].second];
    batches[low == high ? low : domains + low].push_back(sequence[i]);
  }
  SweepSchedule schedule{.sequence = {}, .first = {0}, .colour = {0}, .parallel = 2};
  in_parallel(std::ssize(batches), threads, 1, [&](std::int64_t batch) {
    batches[batch] = grouped_schedule_of(ldy, std::move(batches[batch])).sequence;
  });
  for (Index batch = 0; batch < batches.size(); ++batch) {
    if (batch == domains) schedule.colour.push_back(schedule.batch_count());
    if (batches[batch].empty()) continue;
    schedule.sequence.insert(schedule.sequence.end(), batches[batch].begin(), batches[batch].end());
    schedule.first.push_back(static_cast<Index>(schedule.sequence.size()));
  }
  schedule.colour.push_back(schedule.batch_count());
  return schedule;
}

}  // namespace locdyn::detail
