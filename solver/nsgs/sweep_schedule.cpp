#include <locdyn/solver/nsgs/sweep_schedule.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace locdyn::detail {
namespace {

void check_colouring_field(const char* field, Index value, Index least, Index most) {
  if (value >= least && value <= most) return;
  throw std::invalid_argument(std::string("colouring: ") + field + ": expected a number in " + std::to_string(least) +
                              " … " + std::to_string(most) + ", found " + std::to_string(value));
}

void check_colouring(const ColouringOptions& options) {
  check_colouring_field("batch", options.batch, 1, kNone - 1);
  check_colouring_field("least", options.least, 1, kNone - 1);
  check_colouring_field("most_colours", options.most_colours, 1, 64);
  check_colouring_field("group", options.group, 1, kNone - 1);
}

std::vector<ConstraintId> constraints_in_order(const LocalDynamics& ldy) {
  std::vector<ConstraintId> sequence;
  sequence.reserve(ldy.constraint_count());
  ConstraintId last{kNone};
  for (const DiagonalBlock& row : ldy.rows()) {
    if (row.constraint != last) sequence.push_back(row.constraint);
    last = row.constraint;
  }
  return sequence;
}

// Which constraints are coupled, without the blocks of W: those that share a group of velocities. Marks say which are
// coupled with what was marked before.
class Marks {
 public:
  explicit Marks(const LocalDynamics& ldy)
      : ldy_(ldy), factor_(ldy.has_blocks() ? nullptr : ldy.factor()), met_(factor_ ? factor_->group_count() : 0, 0) {
    if (factor_ == nullptr) met_.assign(ldy.id_bound(), 0);
  }

  [[nodiscard]] bool met(ConstraintId id, Index stamp) const {
    if (factor_ == nullptr) return met_[id] == stamp;
    const auto couplings = couplings_of(id);
    return std::any_of(couplings.begin(), couplings.end(), [&](const Coupling& c) { return met_[c.body] == stamp; });
  }
  void mark(ConstraintId id, Index stamp) {
    if (factor_ != nullptr) {
      for (const Coupling& c : couplings_of(id)) met_[c.body] = stamp;
      return;
    }
    const auto diagonal = ldy_.diagonal_arena();
    for (const OffDiagonalBlock& block : ldy_.adjacent(ldy_.row(id))) met_[diagonal[block.other].constraint] = stamp;
  }

  // So many of these constraints act on each body, where that is known.
  void count(std::span<const ConstraintId> constraints) {
    if (factor_ == nullptr) return;
    acting_.resize(met_.size(), 0);
    most_ = 0;
    for (const ConstraintId id : constraints) {
      for (const Coupling& c : couplings_of(id)) most_ = std::max(most_, ++acting_[c.body]);
    }
  }
  void count_off(ConstraintId id) {
    if (most_ == 0) return;
    for (const Coupling& c : couplings_of(id)) --acting_[c.body];
  }
  // The most that acted on one body before any was counted off; 0 where nothing is known.
  [[nodiscard]] Index most() const noexcept { return most_; }
  // On a body of this constraint so many or more act.
  [[nodiscard]] bool has_body_under(ConstraintId id, Index many) const {
    const auto couplings = couplings_of(id);
    return std::any_of(couplings.begin(), couplings.end(), [&](const Coupling& c) { return acting_[c.body] >= many; });
  }

 private:
  // All rows of a constraint act on the same bodies: the first tells.
  [[nodiscard]] std::span<const Coupling> couplings_of(ConstraintId id) const {
    return factor_->couplings(static_cast<Index>(&ldy_.row(id) - ldy_.diagonal_arena().data()));
  }

  const LocalDynamics& ldy_;
  const DelassusFactor* factor_;
  std::vector<Index> met_;     // by group, or by constraint
  std::vector<Index> acting_;  // by group of velocities
  Index most_ = 0;
};

// Where batches of `options.batch` begin, and the end.
std::vector<Index> equal_batches(std::size_t count, const ColouringOptions& options) {
  std::vector<Index> first;
  for (std::size_t from = 0; from < count; from += options.batch) first.push_back(static_cast<Index>(from));
  first.push_back(static_cast<Index>(count));
  return first;
}

void set_in_groups(const LocalDynamics& ldy, const ColouringOptions& options, std::span<ConstraintId> sequence) {
  set_batches_in_groups(ldy, equal_batches(sequence.size(), options), options.group, GroupFilling::in_order, sequence);
}

// Which batches are coupled, each list ascending and without the batch itself.
struct BatchGraph {
  std::vector<std::size_t> first;
  std::vector<Index> neighbour;

  BatchGraph(const LocalDynamics& ldy, std::span<const ConstraintId> sequence, Index batch)
      : first{0}, met_((sequence.size() + batch - 1) / batch, kNone) {
    if (!ldy.has_blocks() && ldy.factor() != nullptr) {
      by_factor(ldy, *ldy.factor(), sequence, batch);
    } else {
      by_blocks(ldy, sequence, batch);
    }
  }

  [[nodiscard]] Index count() const noexcept { return static_cast<Index>(first.size() - 1); }
  [[nodiscard]] std::span<const Index> of(Index batch) const noexcept {
    return {neighbour.data() + first[batch], first[batch + 1] - first[batch]};
  }

 private:
  void by_blocks(const LocalDynamics& ldy, std::span<const ConstraintId> sequence, Index batch) {
    std::vector<Index> batch_of(ldy.id_bound(), kNone);
    for (std::size_t i = 0; i < sequence.size(); ++i) batch_of[sequence[i]] = static_cast<Index>(i / batch);
    const auto diagonal = ldy.diagonal_arena();
    for_each_batch_of(sequence, batch, [&](Index own, ConstraintId id) {
      for (const OffDiagonalBlock& block : ldy.adjacent(ldy.row(id))) {
        add(own, batch_of[diagonal[block.other].constraint]);
      }
    });
  }
  void by_factor(const LocalDynamics& ldy, const DelassusFactor& factor, std::span<const ConstraintId> sequence,
                 Index batch) {
    const auto* arena = ldy.diagonal_arena().data();
    const auto couplings_of = [&](ConstraintId id) {
      return factor.couplings(static_cast<Index>(&ldy.row(id) - arena));
    };
    std::vector<std::vector<Index>> of_group(factor.group_count());  // its batches, ascending
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      for (const Coupling& c : couplings_of(sequence[i])) {
        std::vector<Index>& batches = of_group[c.body];
        if (batches.empty() || batches.back() != i / batch) batches.push_back(static_cast<Index>(i / batch));
      }
    }
    for_each_batch_of(sequence, batch, [&](Index own, ConstraintId id) {
      for (const Coupling& c : couplings_of(id)) {
        for (const Index other : of_group[c.body]) add(own, other);
      }
    });
  }

  // `work(batch, id)` for all constraints, the neighbours of each batch sorted at its end.
  template <class Work>
  void for_each_batch_of(std::span<const ConstraintId> sequence, Index batch, const Work& work) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      work(static_cast<Index>(i / batch), sequence[i]);
      if (i + 1 < sequence.size() && (i + 1) % batch != 0) continue;
      std::sort(neighbour.begin() + static_cast<std::ptrdiff_t>(first.back()), neighbour.end());
      first.push_back(neighbour.size());
    }
  }
  void add(Index own, Index other) {
    if (other == own || met_[other] == own) return;
    met_[other] = own;
    neighbour.push_back(other);
  }

  std::vector<Index> met_;  // by batch: the last that listed it
};

SweepSchedule one_batch(std::vector<ConstraintId> sequence) {
  SweepSchedule schedule;
  schedule.first = {0, static_cast<Index>(sequence.size())};
  schedule.colour = {0, 1};
  schedule.sequence = std::move(sequence);
  return schedule;
}

// The least colour that no neighbour has, in order of most neighbours; `most` where none below it is free.
std::vector<Index> colour_greedily(const BatchGraph& graph, Index most) {
  std::vector<Index> order(graph.count()), colour(graph.count(), most);
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return graph.of(a).size() > graph.of(b).size(); });
  for (const Index batch : order) {
    std::uint64_t taken = 0;
    for (const Index other : graph.of(batch)) {
      if (colour[other] < most) taken |= std::uint64_t{1} << colour[other];
    }
    colour[batch] = std::min(most, static_cast<Index>(std::countr_one(taken)));
  }
  return colour;
}

}  // namespace

// Groups are filled in order, each from the first constraint left; what fills no group comes last.
void set_batches_in_groups(const LocalDynamics& ldy, std::span<const Index> first, Index size, GroupFilling filling,
                           std::span<ConstraintId> sequence) {
  if (size == 1) return;
  Marks marks(ldy);
  std::vector<ConstraintId> left, group, rest;
  Index stamp = 0;
  for (std::size_t batch = 0; batch + 1 < first.size(); ++batch) {
    const std::size_t from = first[batch], to = first[batch + 1];
    left.assign(sequence.begin() + static_cast<std::ptrdiff_t>(from),
                sequence.begin() + static_cast<std::ptrdiff_t>(to));
    rest.clear();
    if (filling == GroupFilling::full) marks.count(left);
    std::size_t at = from;
    while (!left.empty()) {
      ++stamp;
      group.clear();
      const auto take = [&](const auto& suits) {
        std::size_t kept = 0;
        for (const ConstraintId id : left) {
          if (group.size() == size || !suits(id) || marks.met(id, stamp)) {
            left[kept++] = id;
            continue;
          }
          group.push_back(id);
          marks.mark(id, stamp);
          marks.count_off(id);
        }
        left.resize(kept);
      };
      // A body on which as many constraints are left as groups are to come would leave the last of them unfilled.
      const Index to_come = std::max<Index>(1, static_cast<Index>(left.size()) / size);
      if (to_come <= marks.most()) take([&](ConstraintId id) { return marks.has_body_under(id, to_come); });
      take([](ConstraintId) { return true; });
      if (group.size() == size) {
        at = static_cast<std::size_t>(
            std::copy(group.begin(), group.end(), sequence.begin() + static_cast<std::ptrdiff_t>(at)) -
            sequence.begin());
      } else {
        rest.insert(rest.end(), group.begin(), group.end());
      }
    }
    std::copy(rest.begin(), rest.end(), sequence.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

SweepSchedule serial_schedule(const LocalDynamics& ldy) {
  return one_batch(constraints_in_order(ldy));
}

SweepSchedule grouped_schedule(const LocalDynamics& ldy, const ColouringOptions& options) {
  return grouped_schedule_of(ldy, constraints_in_order(ldy), options);
}

SweepSchedule grouped_schedule_of(const LocalDynamics& ldy, std::vector<ConstraintId> sequence,
                                  const ColouringOptions& options) {
  check_colouring(options);
  set_in_groups(ldy, options, sequence);
  return one_batch(std::move(sequence));
}

SweepSchedule coloured_schedule(const LocalDynamics& ldy, const ColouringOptions& options) {
  check_colouring(options);
  std::vector<ConstraintId> sequence =
      options.by_bandwidth ? ldy.sequence(SweepOrder::by_bandwidth) : constraints_in_order(ldy);
  set_in_groups(ldy, options, sequence);
  const BatchGraph graph(ldy, sequence, options.batch);
  std::vector<Index> colour = colour_greedily(graph, options.most_colours);

  // Colours with too few batches join the overflow set, the last "colour".
  std::vector<Index> members(options.most_colours + 1, 0), name(options.most_colours + 1, options.most_colours);
  for (const Index c : colour) ++members[c];
  SweepSchedule schedule;
  for (Index c = 0; c < options.most_colours; ++c) {
    if (members[c] >= options.least) name[c] = schedule.parallel++;
  }
  name[options.most_colours] = options.most_colours;
  for (Index& c : colour) c = name[c];

  // Colour by colour, each in the graph's order.
  schedule.first.push_back(0);
  schedule.colour.push_back(0);
  const auto append = [&](Index wanted) {
    for (Index batch = 0; batch < graph.count(); ++batch) {
      if (colour[batch] != wanted) continue;
      const std::size_t from = std::size_t{batch} * options.batch;
      const std::size_t to = std::min(sequence.size(), from + options.batch);
      schedule.sequence.insert(schedule.sequence.end(), sequence.begin() + static_cast<std::ptrdiff_t>(from),
                               sequence.begin() + static_cast<std::ptrdiff_t>(to));
      schedule.first.push_back(static_cast<Index>(schedule.sequence.size()));
    }
    schedule.colour.push_back(schedule.batch_count());
  };
  schedule.sequence.reserve(sequence.size());
  for (Index c = 0; c < schedule.parallel; ++c) append(c);
  append(options.most_colours);
  return schedule;
}

}  // namespace locdyn::detail
