#include <locdyn/solver/nsgs/sweep_schedule.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/solver/local/contact_block.hpp>

namespace locdyn::detail {
namespace {

void check_field(const char* field, Index value, Index least, Index most) {
  if (value >= least && value <= most) return;
  throw std::invalid_argument(std::string("sweep schedule: ") + field + ": expected a number in " +
                              std::to_string(least) + " … " + std::to_string(most) + ", found " +
                              std::to_string(value));
}

void check_colouring(const ColouringOptions& options) {
  check_field("batch", options.batch, 1, kNone - 1);
  check_field("least", options.least, 1, kNone - 1);
  check_field("most_colours", options.most_colours, 1, 64);
  check_field("group", options.group, 1, kNone - 1);
}

// A constraint, and what it acts on where the graph knows its factor: looked up once for all that is asked of it.
struct Member {
  ConstraintId id;
  std::span<const Coupling> couplings;
};

// Groups, a bit each.
using Groups = std::uint64_t;
constexpr Index kGroupsAtOnce = 64;

// In which groups there is a constraint that is coupled with another one, without the blocks of W: one that shares a
// group of velocities with it.
class Marks {
 public:
  explicit Marks(const LocalDynamics& ldy)
      : ldy_(ldy), factor_(ldy.has_blocks() ? nullptr : ldy.factor()), met_(factor_ ? factor_->group_count() : 0, 0) {
    if (factor_ == nullptr) met_.assign(ldy.id_bound(), 0);
  }

  // All rows of a constraint act on the same bodies: the first tells.
  [[nodiscard]] Member member(ConstraintId id) const {
    if (factor_ == nullptr) return {id, {}};
    return {id, factor_->couplings(static_cast<Index>(&ldy_.row(id) - ldy_.diagonal_arena().data()))};
  }
  [[nodiscard]] Groups met(const Member& member) const {
    if (factor_ == nullptr) return met_[member.id];
    Groups met = 0;
    for (const Coupling& c : member.couplings) met |= met_[c.body];
    return met;
  }
  void mark(const Member& member, Groups groups) {
    for_each_place(member, [&](std::uint32_t place) { met_[place] |= groups; });
  }
  void clear(std::span<const Member> members) {
    for (const Member& member : members) {
      for_each_place(member, [&](std::uint32_t place) { met_[place] = 0; });
    }
  }

  // So many of these constraints act on each body, where that is known.
  void count(std::span<const Member> members) {
    if (factor_ == nullptr) return;
    acting_.resize(met_.size(), 0);
    most_ = 0;
    for (const Member& member : members) {
      for (const Coupling& c : member.couplings) most_ = std::max(most_, ++acting_[c.body]);
    }
  }
  void count_off(const Member& member) {
    if (most_ == 0) return;
    for (const Coupling& c : member.couplings) --acting_[c.body];
  }
  // The most that acted on one body before any was counted off; 0 where nothing is known.
  [[nodiscard]] Index most() const noexcept { return most_; }
  // On a body of this constraint so many or more act.
  [[nodiscard]] bool has_body_under(const Member& member, Index many) const {
    return std::ranges::any_of(member.couplings, [&](const Coupling& c) { return acting_[c.body] >= many; });
  }

 private:
  template <class Work>
  void for_each_place(const Member& member, const Work& work) const {
    if (factor_ != nullptr) {
      for (const Coupling& c : member.couplings) work(c.body);
      return;
    }
    for (const OffDiagonalBlock& block : ldy_.adjacent(ldy_.row(member.id))) {
      work(ldy_.diagonal_arena()[block.other].constraint);
    }
  }

  const LocalDynamics& ldy_;
  const DelassusFactor* factor_;
  std::vector<Groups> met_;    // by group of velocities, or by constraint
  std::vector<Index> acting_;  // by group of velocities
  Index most_ = 0;
};

// What the warm start says that a constraint does. In the order in which a batch visits them: other orders took 0.98
// to 1.02 of the time.
enum class WarmState : std::uint8_t { holds, open, slides };
constexpr std::size_t kWarmStates = 3;

WarmState warm_state(const LocalDynamics& ldy, ConstraintId id) {
  const Law& law = ldy.law(id);
  if (!has_discs(law)) return WarmState::holds;
  const Eigen::Vector3d& R = ldy.row(id).R;
  if (!(R[2] > 0)) return WarmState::open;
  const double limit = friction_discs(law).sliding[0] * R[2];
  return R.head<2>().squaredNorm() >= (1 - kOnCone) * limit * limit ? WarmState::slides : WarmState::holds;
}

// Puts the constraints of a batch in groups that are not coupled with each other.
class GroupFiller {
 public:
  GroupFiller(const LocalDynamics& ldy, Index size) : marks_(ldy), size_(size), groups_(kGroupsAtOnce * size) {}

  // A new batch.
  void start() { grouped_.clear(); }
  [[nodiscard]] Member member(ConstraintId id) const { return marks_.member(id); }
  // Each constraint in order goes to the first group that has room and none that it is coupled with; what fills none
  // goes to `rest`. `left` is used up.
  void fill(std::vector<Member>& left, std::vector<Member>& rest) {
    while (!left.empty()) {
      std::array<Index, kGroupsAtOnce> taken{};
      Groups open = ~Groups{0};
      auto kept = left.begin();
      for (const Member& member : left) {
        const Groups free = open & ~marks_.met(member);
        if (free == 0) {
          *kept++ = member;  // for those after these groups
          continue;
        }
        const int group = std::countr_zero(free);
        const Groups own = free & -free;
        groups_[group * size_ + taken[group]] = member;
        marks_.mark(member, own);
        if (++taken[group] == size_) open &= ~own;
      }
      left.erase(kept, left.end());
      for (Index group = 0; group < kGroupsAtOnce && taken[group] > 0; ++group) {
        close({groups_.data() + group * size_, taken[group]}, rest);
      }
    }
  }
  // The same, but group by group, first those on a body on which as many constraints are left as groups are to come: it
  // would leave the last of them unfilled.
  void fill_fully(std::vector<Member>& left, std::vector<Member>& rest) {
    marks_.count(left);
    while (!left.empty()) {
      taken_ = 0;
      const Index to_come = std::max<Index>(1, static_cast<Index>(left.size()) / size_);
      if (to_come <= marks_.most()) take(left, [&](const Member& m) { return marks_.has_body_under(m, to_come); });
      take(left, [](const Member&) { return true; });
      close({groups_.data(), taken_}, rest);
    }
  }
  // Of the batch, one behind the other.
  [[nodiscard]] const std::vector<Member>& grouped() const noexcept { return grouped_; }

 private:
  template <class Suits>
  void take(std::vector<Member>& left, const Suits& suits) {
    auto kept = left.begin(), next = left.begin();
    for (; next != left.end() && taken_ < size_; ++next) {
      if (!suits(*next) || marks_.met(*next) != 0) {
        *kept++ = *next;
        continue;
      }
      groups_[taken_++] = *next;
      marks_.mark(*next, 1);
      marks_.count_off(*next);
    }
    left.erase(kept, next);
  }
  void close(std::span<const Member> group, std::vector<Member>& rest) {
    marks_.clear(group);
    std::vector<Member>& to = group.size() == size_ ? grouped_ : rest;
    to.insert(to.end(), group.begin(), group.end());
  }

  Marks marks_;
  Index size_;
  std::vector<Member> groups_;  // room for each
  Index taken_ = 0;             // of the first
  std::vector<Member> grouped_;
};

// Where batches of `batch` begin, and the end.
std::vector<Index> equal_batches(std::size_t count, Index batch) {
  std::vector<Index> first;
  for (std::size_t from = 0; from < count; from += batch) first.push_back(static_cast<Index>(from));
  first.push_back(static_cast<Index>(count));
  return first;
}

void set_in_groups(const LocalDynamics& ldy, Index batch, Index group, std::span<ConstraintId> sequence) {
  set_batches_in_groups(ldy, equal_batches(sequence.size(), batch), group, GroupFilling::by_state, sequence);
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

void set_batches_in_groups(const LocalDynamics& ldy, std::span<const Index> first, Index size, GroupFilling filling,
                           std::span<ConstraintId> sequence) {
  if (size == 1) return;
  GroupFiller filler(ldy, size);
  std::vector<Member> left, rest;
  std::array<std::vector<Member>, kWarmStates> in_state;
  for (std::size_t batch = 0; batch + 1 < first.size(); ++batch) {
    const auto constraints = sequence.subspan(first[batch], first[batch + 1] - first[batch]);
    filler.start();
    left.clear();
    rest.clear();
    if (filling == GroupFilling::full) {
      for (const ConstraintId id : constraints) left.push_back(filler.member(id));
      filler.fill_fully(left, rest);
    } else {
      for (const ConstraintId id : constraints) {
        in_state[static_cast<std::size_t>(warm_state(ldy, id))].push_back(filler.member(id));
      }
      for (std::vector<Member>& alike : in_state) filler.fill(alike, rest);
      left.swap(rest);
      filler.fill_fully(left, rest);
    }
    const auto end = std::ranges::transform(filler.grouped(), constraints.begin(), &Member::id).out;
    std::ranges::transform(rest, end, &Member::id);
  }
}

SweepSchedule serial_schedule(const LocalDynamics& ldy) {
  return one_batch(ldy.sequence());
}

SweepSchedule grouped_schedule(const LocalDynamics& ldy, const GroupingOptions& options) {
  return grouped_schedule_of(ldy, ldy.sequence(), options);
}

SweepSchedule grouped_schedule_of(const LocalDynamics& ldy, std::vector<ConstraintId> sequence,
                                  const GroupingOptions& options) {
  check_field("batch", options.batch, 1, kNone - 1);
  check_field("group", options.group, 1, kNone - 1);
  set_in_groups(ldy, options.batch, options.group, sequence);
  return one_batch(std::move(sequence));
}

SweepSchedule coloured_schedule(const LocalDynamics& ldy, const ColouringOptions& options) {
  check_colouring(options);
  std::vector<ConstraintId> sequence = options.by_bandwidth ? ldy.sequence(SweepOrder::by_bandwidth) : ldy.sequence();
  set_in_groups(ldy, options.batch, options.group, sequence);
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
