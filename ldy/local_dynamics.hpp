#pragma once
// The linked graph of local dynamics U = B + W R. Diagonal blocks form a doubly linked list in sweep order; each heads
// a singly linked list of off-diagonal blocks. Both live in arenas and link by index, so that `pack` can lay them out
// in sweep order: following the links then is streaming through memory.
//
// Where W comes from bodies, W = h H A⁻¹ Hᵀ, its off-diagonal blocks can be left out until somebody asks for them: a
// sweep, a residual and Newton's method through velocities need H and A⁻¹ alone, O(1) a row whatever its neighbours.
//
// Source: Koziara & Bićanić, IJNME 87 (2011) 437–456, §4 (the graph of local dynamics).

#include <Eigen/Core>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <locdyn/base/typed_id.hpp>
#include <locdyn/ldy/arena.hpp>
#include <locdyn/ldy/delassus_factor.hpp>
#include <locdyn/ldy/law.hpp>

namespace locdyn {

using Index = std::uint32_t;                        ///< into an arena; changes when the graph is packed
using ConstraintId = TypedId<class ConstraintTag>;  ///< stable until the constraint is removed
inline constexpr Index kNone = 0xffffffffu;         ///< No row, block or constraint.

/// W_αβ of row α (whose list holds it) and row β = `other`. 80 bytes.
struct OffDiagonalBlock {
  /// Holds anything: whoever makes many at once has them written, and their memory touched first, by all threads.
  OffDiagonalBlock() noexcept {}

  Eigen::Matrix3d W;  ///< of this row and `other`
  Index other;        ///< diagonal block β
  Index next;         ///< next block of row α, or kNone
};

/// Row α of the local dynamics, 3×3. 160 bytes.
struct DiagonalBlock {
  Eigen::Vector3d R, B, U;  ///< mean reaction, free velocity, relative velocity at the end of the step. R is first: it
                            ///< lies within one cache line, and no parallel writer touches B behind it
  Eigen::Matrix3d W;        ///< W_αα
  ConstraintId constraint;  ///< kNone where this place of the arena is free
  Index first;              ///< first off-diagonal block, or kNone
  Index previous, next;     ///< in sweep order, or kNone
};

static_assert(sizeof(OffDiagonalBlock) == 80 && sizeof(DiagonalBlock) == 160);

/// The order in which `pack` lays rows out and sweeps visit them.
enum class SweepOrder {
  by_id,        ///< constraint ids ascending
  by_colour,    ///< greedy colouring by id: rows of one colour, coupled with none of their own, follow one another
  by_bandwidth  ///< reverse Cuthill–McKee: neighbours lie close in memory
};

namespace detail {

/// What a graph holds.
struct GraphContent {
  mutable Arena<DiagonalBlock> diagonal_;  // links to blocks are part of what is made on demand
  Arena<DiagonalBlock> packed_diagonal_;   // `pack`'s target
  mutable Arena<OffDiagonalBlock> off_diagonal_;
  Arena<OffDiagonalBlock> packed_off_diagonal_;
  std::vector<Law> laws_;                  // by id
  std::vector<std::uint8_t> block_count_;  // by id: of the law, which need not be looked at for it
  std::vector<Index> first_row_;           // by id; kNone where the id is free
  std::vector<ConstraintId> free_ids_;
  std::vector<Index> free_rows_[kMaxLawBlocks];  // first places of free runs of 1, 2, … rows
  Index free_block_ = kNone;                     // list of free off-diagonal places, linked by `next`
  Index head_ = kNone, tail_ = kNone;
  std::size_t constraint_count_ = 0, row_count_ = 0;
  mutable std::size_t off_diagonal_count_ = 0;
  std::size_t scattered_blocks_ = 0, scattered_rows_ = 0;
  FactorSlot factor_;
  enum class Blocks : std::uint32_t { missing, in_the_making, there };
  bool on_demand_ = false;                   // blocks are made from the factor
  mutable bool linked_ = true;               // blocks are linked, whatever they hold
  mutable Blocks blocks_ = Blocks::there;    // read and written by `std::atomic_ref`
  mutable std::vector<std::uint8_t> stale_;  // by row, of a linked graph on demand: its blocks hold another W
};

}  // namespace detail

class LocalDynamics : private detail::GraphContent {
 public:
  LocalDynamics() = default;
  /// A copy has no factor, since the view may change or end behind it: blocks that were still to be made are made
  /// first, where the factor is known. The same of what is moved.
  LocalDynamics(const LocalDynamics& other) : GraphContent(other.made()) { stand_alone(); }
  LocalDynamics(LocalDynamics&& other) : GraphContent(std::move(other.made())) { stand_alone(); }
  LocalDynamics& operator=(const LocalDynamics& other);
  LocalDynamics& operator=(LocalDynamics&& other);
  ~LocalDynamics() = default;

  // --- symbolic work -------------------------------------------------------------------------------------------------

  /// Adds a constraint that follows `law`, with zero W, B, R and U, as the last in sweep order. A law of several blocks
  /// owns consecutive rows, coupled with each other. Throws std::invalid_argument where the law is not valid.
  ConstraintId insert(const Law& law);

  /// Links every row of α with every row of β ≠ α, both ways, with zero W. Nothing happens where they are linked
  /// already. Cost: the shorter of their lists. Throws std::invalid_argument for an id that is not in the graph,
  /// std::logic_error where blocks are made on demand.
  void couple(ConstraintId alpha, ConstraintId beta);

  /// `couple` of many pairs (α, β), in any order and as often as they come. Cost: a sort, and where nothing is linked
  /// yet no search of lists. Errors as there, for the first pair at fault; then nothing has changed.
  void couple(std::vector<std::pair<ConstraintId, ConstraintId>> pairs);

  /// Unlinks the constraint and all its blocks. Cost: the lists of its neighbours.
  void remove(ConstraintId id);

  /// Every constraint once, in sweep order. Cost: one pass over the rows.
  [[nodiscard]] std::vector<ConstraintId> sequence() const;
  /// Every constraint once, in the given order; what `pack` makes the sweep order. Cost: one pass over the blocks.
  [[nodiscard]] std::vector<ConstraintId> sequence(SweepOrder order) const;
  /// Lays both arenas out in the given order, each row's blocks contiguous and sorted by the place of `other`, and
  /// makes that order the sweep order. Ids survive, arena indices do not. Cost: one pass over both arenas.
  void pack(SweepOrder order);
  /// `pack` with the constraints in the order of `sequence`, which names each constraint once, else throws
  /// std::invalid_argument and leaves the graph as it was.
  void pack(std::span<const ConstraintId> sequence, int threads = 1);
  /// Of each part the constraints and the blocks between them, packed in the order in which the part names them, as a
  /// graph of its own with ids 0, 1, …: islands to be solved apart. Blocks that are still to be made stay so, each part
  /// makes its own on demand. Throws std::invalid_argument for an id that is not in the graph or twice in one part.
  /// Cost: one pass over their rows and blocks.
  [[nodiscard]] std::vector<LocalDynamics> extract(std::span<const std::span<const ConstraintId>> parts,
                                                   int threads = 1) const;
  /// R and U of a part that `extract` made of `ids` and somebody solved. Cost: one visit of its rows.
  void take_back(const LocalDynamics& part, std::span<const ConstraintId> ids);
  /// The share of blocks (of rows, where blocks are made on demand) that insertions and removals have put out of place
  /// since the last `pack`, 0 … 1.
  [[nodiscard]] double scattered() const noexcept;

  /// Free ids that lie past the last one in use are no longer known, so that `id_bound` falls; the others are given
  /// again lowest first. Cost: one pass over the ids.
  void drop_free_ids();

  // --- constraints ---------------------------------------------------------------------------------------------------

  /// Is there such a constraint?
  [[nodiscard]] bool contains(ConstraintId id) const noexcept {
    return id < first_row_.size() && first_row_[id] != kNone;
  }
  /// The law of a constraint; `set_law` keeps its number of blocks and rows in use, else throws std::invalid_argument.
  [[nodiscard]] const Law& law(ConstraintId id) const { return laws_[id]; }
  void set_law(ConstraintId id, const Law& law);
  /// Of the law, which is not looked at for it: how many rows the constraint has.
  [[nodiscard]] int block_count(ConstraintId id) const { return block_count_[id]; }

  /// One past the largest id in use: the size of an array indexed by id.
  [[nodiscard]] std::size_t id_bound() const noexcept { return first_row_.size(); }
  [[nodiscard]] std::size_t constraint_count() const noexcept { return constraint_count_; }
  [[nodiscard]] std::size_t row_count() const noexcept { return row_count_; }
  [[nodiscard]] std::size_t off_diagonal_count() const {
    ask_for_blocks();
    return off_diagonal_count_;
  }

  /// Row k of a constraint; the rows of one constraint are consecutive in the arena and in sweep order.
  [[nodiscard]] DiagonalBlock& row(ConstraintId id, int k = 0) { return diagonal_[first_row_[id] + k]; }
  [[nodiscard]] const DiagonalBlock& row(ConstraintId id, int k = 0) const { return diagonal_[first_row_[id] + k]; }
  /// k of a row of this graph.
  [[nodiscard]] int block_of(const DiagonalBlock& row) const {
    return static_cast<int>(&row - &diagonal_[first_row_[row.constraint]]);
  }
  /// W between two rows, or nullptr where they are not linked. Throws std::invalid_argument for an id that is not in
  /// the graph or a row that its law does not have. Cost: the row's list.
  [[nodiscard]] OffDiagonalBlock* find(ConstraintId alpha, int row, ConstraintId beta, int column);

  /// W as its factors, or nullptr where they are not known: whoever fills W says so, any symbolic change forgets it.
  [[nodiscard]] const DelassusFactor* factor() const noexcept { return factor_.get(); }
  void set_factor(DelassusFactor factor) { factor_.set(std::move(factor)); }
  /// Of a graph that holds its blocks: what the factor views ends.
  void forget_factor() noexcept { factor_.clear(); }

  // --- blocks on demand ----------------------------------------------------------------------------------------------

  /// From now on rows that share a group of velocities in the factor are coupled by that, `couple` is not called, and
  /// the off-diagonal blocks are made when somebody asks for them: by `require_blocks`, or by any of `adjacent`,
  /// `find`, `off_diagonal_arena` and `off_diagonal_count`. Whoever sets the factor fills W_αα and says what has
  /// changed
  /// (`blocks_changed`). Throws std::logic_error where the graph is not empty.
  void make_blocks_on_demand();
  /// Are the off-diagonal blocks there and up to date? Whoever can do without asks this first.
  [[nodiscard]] bool has_blocks() const noexcept {
    return std::atomic_ref<Blocks>(blocks_).load(std::memory_order_acquire) == Blocks::there;
  }
  /// Makes the blocks where they are missing, and fills them where W has changed, on so many threads: what a solver
  /// that reads them does at its entry. Throws std::logic_error where the graph has changed since its factor was set.
  /// Cost: 5 to 8 block products for each block.
  void require_blocks(int threads = 1) const;
  /// Blocks are linked, up to date or not: their rows can be marked one by one.
  [[nodiscard]] bool has_links() const noexcept { return linked_; }
  /// W of this row, or of all, is no longer what its blocks hold. Nothing happens where blocks are not made on demand.
  void blocks_changed(Index row);
  void blocks_changed();

  // --- views for solvers ---------------------------------------------------------------------------------------------

  template <class Block>
  class Links;  // a forward range over blocks that link by `next`

  /// The rows in sweep order: `for (auto& a : ldy.rows())`.
  [[nodiscard]] Links<DiagonalBlock> rows();
  [[nodiscard]] Links<const DiagonalBlock> rows() const;
  /// The off-diagonal blocks of a row: `for (auto& ab : ldy.adjacent(a))`.
  [[nodiscard]] Links<OffDiagonalBlock> adjacent(const DiagonalBlock& row);
  [[nodiscard]] Links<const OffDiagonalBlock> adjacent(const DiagonalBlock& row) const;

  /// The arenas. Places that are free have constraint == kNone; after `pack` there are none, and the order is the
  /// sweep order.
  [[nodiscard]] std::span<DiagonalBlock> diagonal_arena() noexcept { return diagonal_; }
  [[nodiscard]] std::span<const DiagonalBlock> diagonal_arena() const noexcept { return diagonal_; }
  [[nodiscard]] std::span<OffDiagonalBlock> off_diagonal_arena() {
    ask_for_blocks();
    return off_diagonal_;
  }
  [[nodiscard]] std::span<const OffDiagonalBlock> off_diagonal_arena() const {
    ask_for_blocks();
    return off_diagonal_;
  }
  [[nodiscard]] Index head() const noexcept { return head_; }

 private:
  void check_couple(ConstraintId alpha, ConstraintId beta) const;
  void link_all(ConstraintId alpha, ConstraintId beta);
  Index link_block(Index row, Index other);
  void unlink_block(Index row, Index other);
  Index take_rows(int count);
  Index find_places(std::span<const ConstraintId> sequence, std::span<Index> place) const;
  void lay_out(std::span<const ConstraintId> sequence, std::span<const Index> place, Index rows,
               Arena<DiagonalBlock>& diagonal, Arena<OffDiagonalBlock>& off_diagonal, int threads) const;
  void require(ConstraintId id, const char* what) const {
    if (!contains(id)) [[unlikely]]
      not_in_graph(id, what);
  }
  [[noreturn]] static void not_in_graph(ConstraintId id, const char* what);
  void require_row(ConstraintId id, int row, const char* what) const;
  void ask_for_blocks() const {
    if (!has_blocks()) [[unlikely]]
      require_blocks();
  }
  void forget_blocks();
  void make_blocks(int threads) const;
  void link_by_factor(int threads) const;
  [[nodiscard]] const GraphContent& made() const;
  [[nodiscard]] GraphContent& made();
  void stand_alone() noexcept;
};

/// Blocks linked by `next` in an arena.
template <class Block>
class LocalDynamics::Links {
 public:
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Block;
    using difference_type = std::ptrdiff_t;
    using pointer = Block*;
    using reference = Block&;

    iterator() = default;
    iterator(Block* arena, Index at) : arena_(arena), at_(at) {}
    reference operator*() const { return arena_[at_]; }
    pointer operator->() const { return arena_ + at_; }
    iterator& operator++() {
      at_ = arena_[at_].next;
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const iterator& other) const { return at_ == other.at_; }

   private:
    Block* arena_ = nullptr;
    Index at_ = kNone;
  };

  /// From that place on.
  Links(Block* arena, Index first) : arena_(arena), first_(first) {}
  [[nodiscard]] iterator begin() const { return {arena_, first_}; }
  [[nodiscard]] iterator end() const { return {arena_, kNone}; }

 private:
  Block* arena_;
  Index first_;
};

inline LocalDynamics::Links<DiagonalBlock> LocalDynamics::rows() {
  return {diagonal_.data(), head_};
}
inline LocalDynamics::Links<const DiagonalBlock> LocalDynamics::rows() const {
  return {diagonal_.data(), head_};
}
inline LocalDynamics::Links<OffDiagonalBlock> LocalDynamics::adjacent(const DiagonalBlock& row) {
  ask_for_blocks();
  return {off_diagonal_.data(), row.first};
}
inline LocalDynamics::Links<const OffDiagonalBlock> LocalDynamics::adjacent(const DiagonalBlock& row) const {
  ask_for_blocks();
  return {off_diagonal_.data(), row.first};
}

}  // namespace locdyn
