// The off-diagonal blocks of a graph that knows its factor, made when somebody asks for them: rows that share a group
// of velocities are linked, in sweep order and each list by the place of the other row, as `pack` would lay them out;
// then W_αβ = Σ_k H_αk Y_βk.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/ldy/block_product.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn {
using namespace detail;
namespace {

// The rows that hold each group, one group after the other, ascending by place in each.
struct RowsOfGroups {
  std::vector<Index> first, row;

  RowsOfGroups(const LocalDynamics& ldy, const DelassusFactor& factor) : first(factor.group_count() + 1, 0) {
    const auto arena = ldy.diagonal_arena();
    const auto for_each = [&](const auto& work) {
      for (Index place = 0; place < arena.size(); ++place) {
        if (arena[place].constraint == kNone) continue;
        for (const Coupling& c : factor.couplings(place)) work(c.body, place);
      }
    };
    for_each([&](std::uint32_t group, Index) { ++first[group + 1]; });
    for (std::size_t group = 0; group + 1 < first.size(); ++group) first[group + 1] += first[group];
    row.resize(first.back());
    std::vector<Index> next(first.begin(), first.end() - 1);
    for_each([&](std::uint32_t group, Index place) { row[next[group]++] = place; });
  }

  [[nodiscard]] std::span<const Index> of(std::uint32_t group) const {
    return {row.data() + first[group], first[group + 1] - first[group]};
  }
};

// The neighbours of some rows, which share a group with them, ascending by place in each; made by one thread.
struct RowsAndNeighbours {
  std::vector<Index> neighbour, count;

  void add(Index row, const DelassusFactor& factor, const RowsOfGroups& holders) {
    found_.clear();
    for (const Coupling& c : factor.couplings(row)) {
      const auto more = holders.of(c.body);
      united_.clear();
      std::set_union(found_.begin(), found_.end(), more.begin(), more.end(), std::back_inserter(united_));
      found_.swap(united_);
    }
    const std::size_t before = neighbour.size();
    std::copy_if(found_.begin(), found_.end(), std::back_inserter(neighbour), [row](Index r) { return r != row; });
    count.push_back(static_cast<Index>(neighbour.size() - before));
  }

 private:
  std::vector<Index> found_, united_;
};

// Rows that one thread takes at once.
constexpr std::int64_t kRowsAtOnce = 256;

}  // namespace

void LocalDynamics::make_blocks_on_demand() {
  if (constraint_count_ != 0) {
    throw std::logic_error("blocks on demand: expected an empty graph, found " + std::to_string(constraint_count_) +
                           " constraints");
  }
  on_demand_ = true;
  linked_ = false;
  blocks_ = Blocks::missing;
}

void LocalDynamics::forget_blocks() {
  if (!on_demand_) return;
  blocks_ = Blocks::missing;
  if (!linked_) return;
  linked_ = false;
  for (DiagonalBlock& row : diagonal_) row.first = kNone;
  off_diagonal_.clear();
  off_diagonal_count_ = 0;
}

void LocalDynamics::blocks_changed() {
  if (!on_demand_) return;
  blocks_ = Blocks::missing;
  if (linked_) stale_.assign(diagonal_.size(), 1);
}

void LocalDynamics::blocks_changed(Index row) {
  if (!on_demand_) return;
  blocks_ = Blocks::missing;
  if (linked_) stale_[row] = 1;
}

// One thread makes them, others that ask meanwhile wait.
void LocalDynamics::require_blocks(int threads) const {
  const std::atomic_ref<Blocks> state(blocks_);
  for (Blocks found = Blocks::missing; !has_blocks(); found = Blocks::missing) {
    if (!state.compare_exchange_strong(found, Blocks::in_the_making)) {
      state.wait(Blocks::in_the_making);
      continue;
    }
    Blocks result = Blocks::missing;
    std::exception_ptr fault;
    try {
      make_blocks(threads);
      result = Blocks::there;
    } catch (...) {
      fault = std::current_exception();
    }
    state.store(result, std::memory_order_release);
    state.notify_all();
    if (fault) std::rethrow_exception(fault);
  }
}

void LocalDynamics::make_blocks(int threads) const {
  if (row_count_ == 0) return;
  if (factor() == nullptr || !factor()->has_responses()) {
    throw std::logic_error("blocks of W: expected a graph that knows its factor, found one that has changed since");
  }
  if (!linked_) {
    try {
      link_by_factor(threads);
    } catch (...) {  // rows without blocks, as whoever removes one expects where they are not linked
      for (DiagonalBlock& row : diagonal_) row.first = kNone;
      off_diagonal_.clear();
      throw;
    }
  }
  parallel_for(static_cast<std::int64_t>(diagonal_.size()), threads, kRowsAtOnce, [this](std::int64_t at) {
    if (stale_[at] == 0) return;
    fill_off_diagonal(*factor(), static_cast<Index>(at), off_diagonal_.data(), diagonal_[at].first);
    stale_[at] = 0;
  });
}

// Neighbours first, by runs of rows in sweep order; then where each run's blocks begin is known, and they are linked.
void LocalDynamics::link_by_factor(int threads) const {
  const RowsOfGroups holders(*this, *factor());
  std::vector<Index> sequence;
  sequence.reserve(row_count_);
  for (Index at = head_; at != kNone; at = diagonal_[at].next) sequence.push_back(at);
  const auto rows_of = [&](std::int64_t run) {
    return std::span(sequence)
        .subspan(run * kRowsAtOnce)
        .first(std::min(kRowsAtOnce, std::ssize(sequence) - run * kRowsAtOnce));
  };
  std::vector<RowsAndNeighbours> runs((sequence.size() + kRowsAtOnce - 1) / kRowsAtOnce);
  in_parallel(std::ssize(runs), threads, 1, [&](std::int64_t run) {
    for (const Index row : rows_of(run)) runs[run].add(row, *factor(), holders);
  });

  std::vector<std::size_t> begin(1, 0);
  for (const RowsAndNeighbours& run : runs) begin.push_back(begin.back() + run.neighbour.size());
  off_diagonal_.resize(begin.back());
  parallel_for(std::ssize(runs), threads, 1, [&](std::int64_t run) {
    auto next = static_cast<Index>(begin[run]);
    const Index* neighbour = runs[run].neighbour.data();
    const Index* count = runs[run].count.data();
    for (const Index row : rows_of(run)) {
      const Index end = next + *count++;
      diagonal_[row].first = next == end ? kNone : next;
      for (; next < end; ++next) {
        off_diagonal_[next].other = *neighbour++;
        off_diagonal_[next].next = next + 1 == end ? kNone : next + 1;
      }
    }
  });
  off_diagonal_count_ = off_diagonal_.size();
  stale_.assign(diagonal_.size(), 1);
  linked_ = true;
}

// --- copies ----------------------------------------------------------------------------------------------------------

const detail::GraphContent& LocalDynamics::made() const {
  if (factor() != nullptr) ask_for_blocks();
  return *this;
}

detail::GraphContent& LocalDynamics::made() {
  if (factor() != nullptr) ask_for_blocks();
  return *this;
}

void LocalDynamics::stand_alone() noexcept {
  if (has_blocks()) on_demand_ = false;
}

LocalDynamics& LocalDynamics::operator=(const LocalDynamics& other) {
  if (this == &other) return *this;
  GraphContent::operator=(other.made());
  stand_alone();
  return *this;
}

LocalDynamics& LocalDynamics::operator=(LocalDynamics&& other) {
  if (this == &other) return *this;
  GraphContent::operator=(std::move(other.made()));
  stand_alone();
  return *this;
}

}  // namespace locdyn
