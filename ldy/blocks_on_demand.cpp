// The off-diagonal blocks of a graph that knows its factor, made when somebody asks for them: rows that share a group
// of velocities are linked, in sweep order and each list by the place of the other row, as `pack` would lay them out;
// then W_αβ = Σ_k H_αk Y_βk.

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>

#include <locdyn/ldy/block_product.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn {
using namespace detail;
namespace {

// The rows that hold each group, one group after the other.
struct RowsOfGroups {
  std::vector<Index> first, row;

  RowsOfGroups(const LocalDynamics& ldy, const DelassusFactor& factor) : first(factor.group_count() + 1, 0) {
    const auto* arena = ldy.diagonal_arena().data();
    const auto for_each = [&](const auto& work) {
      for (const DiagonalBlock& at : ldy.rows()) {
        const auto place = static_cast<Index>(&at - arena);
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
  if (factor() == nullptr || factor()->Y.empty() != factor()->coupling.empty()) {
    throw std::logic_error("blocks of W: expected a graph that knows its factor, found one that has changed since");
  }
  if (!linked_) {
    try {
      link_by_factor();
    } catch (...) {  // rows without blocks, as whoever removes one expects where they are not linked
      for (DiagonalBlock& row : diagonal_) row.first = kNone;
      off_diagonal_.clear();
      throw;
    }
  }
  parallel_for(static_cast<std::int64_t>(diagonal_.size()), threads, 256, [this](std::int64_t at) {
    if (stale_[at] == 0) return;
    fill_off_diagonal(*factor(), static_cast<Index>(at), off_diagonal_.data(), diagonal_[at].first);
    stale_[at] = 0;
  });
}

void LocalDynamics::link_by_factor() const {
  const DelassusFactor& factor = *this->factor();
  const RowsOfGroups holders(*this, factor);
  std::vector<Index> met(diagonal_.size(), kNone), others;
  off_diagonal_.clear();
  for (Index at = head_; at != kNone; at = diagonal_[at].next) {
    others.clear();
    met[at] = at;
    for (const Coupling& c : factor.couplings(at)) {
      for (const Index other : holders.of(c.body)) {
        if (met[other] == at) continue;
        met[other] = at;
        others.push_back(other);
      }
    }
    std::sort(others.begin(), others.end());
    diagonal_[at].first = others.empty() ? kNone : static_cast<Index>(off_diagonal_.size());
    for (const Index other : others) {
      OffDiagonalBlock& block = off_diagonal_.emplace_back();
      block.other = other;
      block.next = static_cast<Index>(off_diagonal_.size());
    }
    if (!others.empty()) off_diagonal_.back().next = kNone;
  }
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
