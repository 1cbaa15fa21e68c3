#include <locdyn/ldy/local_dynamics.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

#include <locdyn/base/make_room.hpp>

namespace locdyn {

using detail::make_room;
using detail::make_room_for_one;

namespace {

// Places of the arena that hold no block are free, and taken before it grows.
void make_room_for_blocks(Arena<OffDiagonalBlock>& arena, std::size_t in_use, int count) {
  const std::size_t free = arena.size() - in_use;
  if (static_cast<std::size_t>(count) > free) make_room(arena, static_cast<std::size_t>(count) - free);
}

// What is in use fits among what is free: removal takes no memory, so that whoever cleans up after a fault needs none.
template <class List>
void make_room_to_remove(List& free, std::size_t in_use) {
  const std::size_t places = free.size() + in_use;
  if (places > free.capacity()) free.reserve(std::max(2 * free.capacity(), places));
}

}  // namespace

void LocalDynamics::not_in_graph(ConstraintId id, const char* what) {
  throw std::invalid_argument(std::string(what) + ": expected a constraint of the graph, found id " +
                              std::to_string(id));
}

void LocalDynamics::require_row(ConstraintId id, int row, const char* what) const {
  require(id, what);
  const int count = block_count(id);
  if (row < 0 || row >= count) {
    throw std::invalid_argument(std::string(what) + ": expected a row of constraint " + std::to_string(id) + " below " +
                                std::to_string(count) + ", found " + std::to_string(row));
  }
}

Index LocalDynamics::take_rows(int count) {
  auto& free = free_rows_[count - 1];
  if (!free.empty()) {
    const Index first = free.back();
    free.pop_back();
    return first;
  }
  const auto first = static_cast<Index>(diagonal_.size());
  diagonal_.resize(diagonal_.size() + count);
  return first;
}

ConstraintId LocalDynamics::insert(const Law& law) {
  const auto id = free_ids_.empty() ? static_cast<ConstraintId>(first_row_.size()) : free_ids_.back();
  try {
    validate(law);
  } catch (const std::invalid_argument& fault) {
    throw std::invalid_argument("constraint " + std::to_string(id) + ": " + fault.what());
  }
  const int count = locdyn::block_count(law);
  const Law kept = law;  // laws_ may move, and `law` be one of them
  if (free_ids_.empty()) {
    make_room_for_one(first_row_);
    make_room_for_one(laws_);
    make_room_for_one(block_count_);
  }
  make_room_to_remove(free_ids_, constraint_count_ + 1);
  make_room_to_remove(free_rows_[count - 1], constraint_count_ + 1);
  if (free_rows_[count - 1].empty()) make_room(diagonal_, static_cast<std::size_t>(count));
  if (!on_demand_) make_room_for_blocks(off_diagonal_, off_diagonal_count_, count * (count - 1));

  if (free_ids_.empty()) {
    first_row_.push_back(kNone);
    laws_.push_back(kept);
    block_count_.push_back(0);
  } else {
    free_ids_.pop_back();
    laws_[id] = kept;
  }
  block_count_[id] = static_cast<std::uint8_t>(count);
  factor_.clear();
  forget_blocks();
  const Index first = take_rows(count);
  first_row_[id] = first;
  for (Index row = first; row < first + count; ++row) {
    DiagonalBlock& block = diagonal_[row];
    block.W.setZero();
    block.B.setZero();
    block.R.setZero();
    block.U.setZero();
    block.constraint = id;
    block.first = kNone;
    block.previous = tail_;
    block.next = kNone;
    (tail_ == kNone ? head_ : diagonal_[tail_].next) = row;
    tail_ = row;
  }
  for (Index row = first; row < first + count; ++row) {
    for (Index column = first; column < first + count && !on_demand_; ++column) {
      if (row != column) link_block(row, column);
    }
  }
  constraint_count_ += 1;
  row_count_ += count;
  scattered_rows_ += count;
  return id;
}

Index LocalDynamics::link_block(Index row, Index other) {
  Index place = free_block_;
  if (place == kNone) {
    place = static_cast<Index>(off_diagonal_.size());
    off_diagonal_.emplace_back();
  } else {
    free_block_ = off_diagonal_[place].next;
  }
  OffDiagonalBlock& block = off_diagonal_[place];
  block.W.setZero();
  block.other = other;
  block.next = diagonal_[row].first;
  diagonal_[row].first = place;
  off_diagonal_count_ += 1;
  scattered_blocks_ += 1;
  return place;
}

void LocalDynamics::unlink_block(Index row, Index other) {
  Index* link = &diagonal_[row].first;
  while (off_diagonal_[*link].other != other) link = &off_diagonal_[*link].next;
  const Index place = *link;
  *link = off_diagonal_[place].next;
  off_diagonal_[place].next = free_block_;
  off_diagonal_[place].other = kNone;
  free_block_ = place;
  off_diagonal_count_ -= 1;
  scattered_blocks_ += 1;
}

void LocalDynamics::check_couple(ConstraintId alpha, ConstraintId beta) const {
  if (on_demand_)
    throw std::logic_error("couple: expected a graph with its blocks, found one that makes them on demand");
  require(alpha, "couple");
  require(beta, "couple");
  if (alpha == beta) {
    throw std::invalid_argument("couple: expected two constraints, found " + std::to_string(alpha) + " twice");
  }
}

void LocalDynamics::couple(std::vector<std::pair<ConstraintId, ConstraintId>> pairs) {
  for (auto& [alpha, beta] : pairs) {
    check_couple(alpha, beta);
    if (beta < alpha) std::swap(alpha, beta);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  // Only rows of one constraint are linked so far: no two of different ones can be.
  std::size_t within = 0;
  for (const std::size_t count : block_count_) within += count * (count - 1);
  const bool fresh = off_diagonal_count_ <= within && free_ids_.empty();
  factor_.clear();
  for (const auto& [alpha, beta] : pairs) {
    if (fresh) {
      link_all(alpha, beta);
    } else {
      couple(alpha, beta);
    }
  }
}

void LocalDynamics::couple(ConstraintId alpha, ConstraintId beta) {
  check_couple(alpha, beta);
  factor_.clear();
  const Index a = first_row_[alpha];
  const Index b = first_row_[beta];

  // Linked already? The lists are walked side by side, so that the shorter one decides the cost.
  Index in_a = diagonal_[a].first;
  Index in_b = diagonal_[b].first;
  while (in_a != kNone && in_b != kNone) {
    if (off_diagonal_[in_a].other == b || off_diagonal_[in_b].other == a) return;
    in_a = off_diagonal_[in_a].next;
    in_b = off_diagonal_[in_b].next;
  }

  link_all(alpha, beta);
}

void LocalDynamics::link_all(ConstraintId alpha, ConstraintId beta) {
  const Index a = first_row_[alpha];
  const Index b = first_row_[beta];
  const int rows = block_count(alpha);
  const int columns = block_count(beta);
  make_room_for_blocks(off_diagonal_, off_diagonal_count_, 2 * rows * columns);
  for (int k = 0; k < rows; ++k) {
    for (int l = 0; l < columns; ++l) {
      link_block(a + k, b + l);
      link_block(b + l, a + k);
    }
  }
}

void LocalDynamics::remove(ConstraintId id) {
  factor_.clear();
  require(id, "remove");
  const Index first = first_row_[id];
  const int count = block_count(id);
  // A copy has no such room. Before anything is unlinked: where there is no memory nothing changes.
  make_room_for_one(free_rows_[count - 1]);
  make_room_for_one(free_ids_);
  forget_blocks();
  for (Index row = first; row < first + count; ++row) {
    while (diagonal_[row].first != kNone) {
      const Index other = off_diagonal_[diagonal_[row].first].other;
      unlink_block(row, other);
      unlink_block(other, row);
    }
  }
  for (Index row = first; row < first + count; ++row) {
    DiagonalBlock& block = diagonal_[row];
    (block.previous == kNone ? head_ : diagonal_[block.previous].next) = block.next;
    (block.next == kNone ? tail_ : diagonal_[block.next].previous) = block.previous;
    block.constraint = ConstraintId{kNone};
  }
  free_rows_[count - 1].push_back(first);
  free_ids_.push_back(id);
  first_row_[id] = kNone;
  constraint_count_ -= 1;
  row_count_ -= count;
  scattered_rows_ += count;
}

void LocalDynamics::drop_free_ids() {
  while (!first_row_.empty() && first_row_.back() == kNone) first_row_.pop_back();
  laws_.resize(first_row_.size());
  block_count_.resize(first_row_.size());
  free_ids_.clear();
  for (std::size_t id = first_row_.size(); id-- > 0;) {
    if (first_row_[id] == kNone) free_ids_.emplace_back(id);
  }
}

void LocalDynamics::set_law(ConstraintId id, const Law& law) {
  require(id, "set_law");
  // Mostly of the same kind as before: then it is not asked for its kind again and again.
  const bool replaced = std::visit(
      [&](const auto& now) {
        try {
          now.validate();
        } catch (const std::invalid_argument& fault) {
          throw std::invalid_argument("constraint " + std::to_string(id) + ": " + fault.what());
        }
        auto* of_kind = std::get_if<std::remove_cvref_t<decltype(now)>>(&laws_[id]);
        bool same = now.blocks() == block_count(id);
        for (int k = 0; same && k < now.blocks(); ++k) {
          same = now.rows(k) == (of_kind != nullptr ? of_kind->rows(k) : locdyn::rows(laws_[id], k));
        }
        if (same && of_kind != nullptr) *of_kind = now;
        if (same && of_kind == nullptr) laws_[id] = law;
        return same;
      },
      law);
  if (!replaced) {
    throw std::invalid_argument("constraint " + std::to_string(id) +
                                ": expected a law with the same blocks and rows in use, found another kind");
  }
}

OffDiagonalBlock* LocalDynamics::find(ConstraintId alpha, int row, ConstraintId beta, int column) {
  require_row(alpha, row, "find");
  require_row(beta, column, "find");
  const Index other = first_row_[beta] + column;
  for (OffDiagonalBlock& block : adjacent(this->row(alpha, row))) {
    if (block.other == other) return &block;
  }
  return nullptr;
}

double LocalDynamics::scattered() const noexcept {
  const std::size_t places = on_demand_ ? diagonal_.size() : off_diagonal_.size();
  const std::size_t scattered = on_demand_ ? scattered_rows_ : scattered_blocks_;
  return places == 0 ? 0.0 : std::min(1.0, static_cast<double>(scattered) / static_cast<double>(places));
}

}  // namespace locdyn
