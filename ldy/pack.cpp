// Packing lays both arenas out in sweep order. The bandwidth order is reverse Cuthill–McKee on constraints
// (Cuthill & McKee 1969; George 1971), started in each island from a constraint of least degree.

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include <locdyn/base/fetch.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr std::int64_t kPackedAtOnce = 256;  // for one thread
constexpr std::int64_t kPackedAhead = 8;     // so far ahead a row is fetched, which lies where it lay

std::vector<ConstraintId> ids_ascending(const LocalDynamics& ldy) {
  std::vector<ConstraintId> ids;
  ids.reserve(ldy.constraint_count());
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (ldy.contains(id)) ids.push_back(id);
  }
  return ids;
}

std::vector<ConstraintId> reverse_cuthill_mckee(const LocalDynamics& ldy) {
  std::vector<std::size_t> degree(ldy.id_bound(), 0);
  const std::vector<ConstraintId> ids = ids_ascending(ldy);
  for (ConstraintId id : ids) {
    for ([[maybe_unused]] const auto& block : ldy.adjacent(ldy.row(id))) ++degree[id];
  }
  const auto less_coupled = [&](ConstraintId a, ConstraintId b) {
    return degree[a] != degree[b] ? degree[a] < degree[b] : a < b;
  };
  std::vector<ConstraintId> seeds = ids;
  std::sort(seeds.begin(), seeds.end(), less_coupled);

  std::vector<ConstraintId> sequence;
  sequence.reserve(ids.size());
  std::vector<char> seen(ldy.id_bound(), 0);
  const auto diagonal = ldy.diagonal_arena();
  for (ConstraintId seed : seeds) {
    if (seen[seed]) continue;
    seen[seed] = 1;
    std::size_t front = sequence.size();
    sequence.push_back(seed);
    for (; front < sequence.size(); ++front) {
      const std::size_t layer = sequence.size();
      for (const auto& block : ldy.adjacent(ldy.row(sequence[front]))) {
        const ConstraintId neighbour = diagonal[block.other].constraint;
        if (seen[neighbour]) continue;
        seen[neighbour] = 1;
        sequence.push_back(neighbour);
      }
      std::sort(sequence.begin() + static_cast<std::ptrdiff_t>(layer), sequence.end(), less_coupled);
    }
  }
  std::reverse(sequence.begin(), sequence.end());
  return sequence;
}

// Each constraint in turn takes the least colour that none of its neighbours has; then colour by colour, id by id.
std::vector<ConstraintId> colour_by_colour(const LocalDynamics& ldy) {
  std::vector<ConstraintId> sequence = ids_ascending(ldy);
  std::vector<Index> colour(ldy.id_bound(), kNone);
  std::vector<ConstraintId> taken_by;  // by colour: the last constraint that has a neighbour of it
  const auto diagonal = ldy.diagonal_arena();
  for (ConstraintId id : sequence) {
    for (const auto& block : ldy.adjacent(ldy.row(id))) {
      const Index taken = colour[diagonal[block.other].constraint];
      if (taken != kNone) taken_by[taken] = id;
    }
    Index free = 0;
    while (free < taken_by.size() && taken_by[free] == id) ++free;
    if (free == taken_by.size()) taken_by.emplace_back(kNone);
    colour[id] = free;
  }
  std::stable_sort(sequence.begin(), sequence.end(),
                   [&](ConstraintId a, ConstraintId b) { return colour[a] < colour[b]; });
  return sequence;
}

}  // namespace

std::vector<ConstraintId> LocalDynamics::sequence() const {
  std::vector<ConstraintId> ids;
  ids.reserve(constraint_count_);
  for (const DiagonalBlock& row : rows()) {
    if (ids.empty() || row.constraint != ids.back()) ids.push_back(row.constraint);
  }
  return ids;
}

std::vector<ConstraintId> LocalDynamics::sequence(SweepOrder order) const {
  switch (order) {
    case SweepOrder::by_colour: return colour_by_colour(*this);
    case SweepOrder::by_bandwidth: return reverse_cuthill_mckee(*this);
    case SweepOrder::by_id: break;
  }
  return ids_ascending(*this);
}

void LocalDynamics::pack(SweepOrder order) {
  pack(sequence(order));
}

// Where each row goes in the order of `sequence`, by arena index; `place` is kNone before. Returns the rows placed.
Index LocalDynamics::find_places(std::span<const ConstraintId> sequence, std::span<Index> place) const {
  Index rows = 0;
  for (ConstraintId id : sequence) {
    require(id, "pack");
    for (int k = 0; k < block_count(id); ++k) {
      Index& to = place[first_row_[id] + k];
      if (to != kNone) {
        throw std::invalid_argument("pack: expected each constraint once, found " + std::to_string(id) + " twice");
      }
      to = rows++;
    }
  }
  return rows;
}

// Lays the rows out one after the other, each with its blocks sorted by the place of the other row.
void LocalDynamics::lay_out(std::span<const ConstraintId> sequence, std::span<const Index> place, Index rows,
                            Arena<DiagonalBlock>& diagonal, Arena<OffDiagonalBlock>& off_diagonal, int threads) const {
  diagonal.resize(rows);
  off_diagonal.clear();
  const DiagonalBlock* const there = diagonal_.data();
  DiagonalBlock* const here = diagonal.data();
  parallel_for(std::ssize(sequence), threads, kPackedAtOnce, [&](std::int64_t i) {
    if (i + kPackedAhead < std::ssize(sequence)) {
      fetch(&diagonal_[first_row_[sequence[i + kPackedAhead]]], sizeof(DiagonalBlock));
    }
    const DiagonalBlock* row = there + first_row_[sequence[i]];
    Index to = place[first_row_[sequence[i]]];  // rows of a constraint follow one another
    for (const Index end = to + static_cast<Index>(block_count(sequence[i])); to < end; ++to, ++row) {
      DiagonalBlock& packed = here[to];
      packed = *row;
      packed.first = kNone;
      packed.previous = to - 1;
      packed.next = to + 1;
    }
  });
  if (rows > 0) diagonal.front().previous = diagonal.back().next = kNone;
  if (!has_blocks()) return;

  off_diagonal.reserve(rows == row_count_ ? off_diagonal_count_ : 0);
  std::vector<std::uint64_t> keys;  // one row's blocks: place of `other`, place of the block
  for (const ConstraintId id : sequence) {
    const Index from = first_row_[id];
    for (Index row = from; row < from + static_cast<Index>(block_count(id)); ++row) {
      keys.clear();
      for (Index at = diagonal_[row].first; at != kNone; at = off_diagonal_[at].next) {
        const Index other = place[off_diagonal_[at].other];
        if (other != kNone) keys.push_back(std::uint64_t{other} << 32 | at);
      }
      if (keys.empty()) continue;
      std::sort(keys.begin(), keys.end());
      diagonal[place[row]].first = static_cast<Index>(off_diagonal.size());
      for (const std::uint64_t key : keys) {
        OffDiagonalBlock& block = off_diagonal.emplace_back(off_diagonal_[static_cast<Index>(key)]);
        block.other = static_cast<Index>(key >> 32);
        block.next = static_cast<Index>(off_diagonal.size());
      }
      off_diagonal.back().next = kNone;
    }
  }
}

void LocalDynamics::pack(std::span<const ConstraintId> sequence, int threads) {
  std::vector<Index> place(diagonal_.size(), kNone);
  const Index rows = find_places(sequence, place);
  if (rows != row_count_) {
    throw std::invalid_argument("pack: expected all " + std::to_string(row_count_) + " rows, found " +
                                std::to_string(rows));
  }
  factor_.clear();
  forget_blocks();
  lay_out(sequence, place, rows, packed_diagonal_, packed_off_diagonal_, threads);
  for (ConstraintId id : sequence) first_row_[id] = place[first_row_[id]];
  diagonal_.swap(packed_diagonal_);
  off_diagonal_.swap(packed_off_diagonal_);
  head_ = rows == 0 ? kNone : 0;
  tail_ = rows == 0 ? kNone : rows - 1;
  for (auto& free : free_rows_) free.clear();
  free_block_ = kNone;
  scattered_blocks_ = scattered_rows_ = 0;
}

std::vector<LocalDynamics> LocalDynamics::extract(std::span<const std::span<const ConstraintId>> parts,
                                                  int threads) const {
  std::vector<LocalDynamics> graphs(parts.size());
  std::vector<Index> place(diagonal_.size(), kNone), origin, room;  // origin: of the part's rows
  for (std::size_t i = 0; i < parts.size(); ++i) {
    LocalDynamics& part = graphs[i];
    const Index rows = find_places(parts[i], place);
    lay_out(parts[i], place, rows, part.diagonal_, part.off_diagonal_, threads);
    origin.clear();
    for (const ConstraintId id : parts[i]) {
      const Index from = first_row_[id];
      part.first_row_.push_back(place[from]);
      part.block_count_.push_back(block_count_[id]);
      for (Index row = from; row < from + static_cast<Index>(block_count(id)); ++row) {
        origin.push_back(row);
        place[row] = kNone;  // clean for the next part
      }
    }
    part.laws_.resize(parts[i].size());
    parallel_for(std::ssize(parts[i]), threads, kPackedAtOnce, [&](std::int64_t at) {
      const ConstraintId id = parts[i][at];
      part.laws_[at] = laws_[id];
      for (int k = 0; k < block_count(id); ++k) {
        part.diagonal_[part.first_row_[at] + k].constraint = static_cast<ConstraintId>(at);
      }
    });
    part.head_ = rows == 0 ? kNone : 0;
    part.tail_ = rows == 0 ? kNone : rows - 1;
    part.constraint_count_ = parts[i].size();
    part.row_count_ = rows;
    part.off_diagonal_count_ = part.off_diagonal_.size();
    if (factor() != nullptr) part.set_factor(factor_of_rows(*factor(), origin, room));
    part.on_demand_ = on_demand_;
    part.linked_ = has_blocks();
    part.blocks_ = part.linked_ ? Blocks::there : Blocks::missing;
    if (on_demand_ && part.linked_) part.stale_.assign(rows, 0);
  }
  return graphs;
}

void LocalDynamics::take_back(const LocalDynamics& part, std::span<const ConstraintId> ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (int k = 0; k < block_count(ids[i]); ++k) {
      const DiagonalBlock& solved = part.row(static_cast<ConstraintId>(i), k);
      row(ids[i], k).R = solved.R;
      row(ids[i], k).U = solved.U;
    }
  }
}

}  // namespace locdyn
