// Random histories of the graph, checked step by step against plain maps and sets.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

#include "ldy/random_graph.hpp"

using namespace locdyn;
using locdyn::test::randomise;
using locdyn::test::two_blocks;

namespace {

struct RowKey {
  ConstraintId id;
  int k;
  auto operator<=>(const RowKey&) const = default;
};

struct RowValues {
  Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
  Eigen::Vector3d R = Eigen::Vector3d::Zero(), B = R, U = R;
};

// What the graph should hold, written in the plainest way.
struct Mirror {
  std::map<ConstraintId, int> blocks;  // constraint → its number of rows
  std::map<RowKey, RowValues> rows;
  std::map<RowKey, std::map<RowKey, Eigen::Matrix3d>> W;  // off-diagonal
  std::vector<ConstraintId> sequence;                     // sweep order

  void insert(ConstraintId id, int count) {
    blocks[id] = count;
    sequence.push_back(id);
    for (int k = 0; k < count; ++k) rows[{id, k}] = {};
    for (int k = 0; k < count; ++k) {
      for (int l = 0; l < count; ++l) {
        if (k != l) W[{id, k}][{id, l}] = Eigen::Matrix3d::Zero();
      }
    }
  }
  void couple(ConstraintId a, ConstraintId b) {
    if (W[{a, 0}].contains({b, 0})) return;
    for (int k = 0; k < blocks[a]; ++k) {
      for (int l = 0; l < blocks[b]; ++l) W[{a, k}][{b, l}] = W[{b, l}][{a, k}] = Eigen::Matrix3d::Zero();
    }
  }
  void remove(ConstraintId id) {
    for (int k = 0; k < blocks[id]; ++k) {
      for (const auto& [other, matrix] : W[{id, k}]) {
        if (other.id != id) W[other].erase({id, k});
      }
    }
    for (int k = 0; k < blocks[id]; ++k) {
      W.erase({id, k});
      rows.erase({id, k});
    }
    blocks.erase(id);
    sequence.erase(std::find(sequence.begin(), sequence.end(), id));
  }
  std::size_t link_count() const {
    std::size_t count = 0;
    for (const auto& [row, list] : W) count += list.size();
    return count;
  }
};

RowKey key_of(const LocalDynamics& ldy, Index place) {
  const ConstraintId id = ldy.diagonal_arena()[place].constraint;
  return {id, static_cast<int>(&ldy.diagonal_arena()[place] - &ldy.row(id))};
}

// CHECK costs too much for every number of every step: count what differs, and check the count.
void check_same(const LocalDynamics& ldy, const Mirror& mirror) {
  REQUIRE(ldy.constraint_count() == mirror.blocks.size());
  REQUIRE(ldy.row_count() == mirror.rows.size());
  REQUIRE(ldy.off_diagonal_count() == mirror.link_count());
  int faults = 0;
  for (ConstraintId id{0}; id < ldy.id_bound() + 3; ++id) faults += ldy.contains(id) != mirror.blocks.contains(id);

  // Sweep order, links both ways, the rows of a constraint consecutive.
  std::vector<RowKey> expected;
  for (ConstraintId id : mirror.sequence) {
    for (int k = 0; k < mirror.blocks.at(id); ++k) expected.push_back({id, k});
  }
  std::vector<RowKey> found;
  Index previous = kNone;
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto place = static_cast<Index>(&row - ldy.diagonal_arena().data());
    found.push_back(key_of(ldy, place));
    faults += row.previous != previous;
    previous = place;
    if (found.size() > expected.size()) break;
  }
  REQUIRE(found == expected);

  // Every row's numbers and list.
  for (const auto& [key, values] : mirror.rows) {
    const DiagonalBlock& row = ldy.row(key.id, key.k);
    faults +=
        row.constraint != key.id || row.W != values.W || row.R != values.R || row.B != values.B || row.U != values.U;
    const auto& list = mirror.W.contains(key) ? mirror.W.at(key) : std::map<RowKey, Eigen::Matrix3d>{};
    std::set<RowKey> seen;
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
      const RowKey other = key_of(ldy, block.other);
      faults += !seen.insert(other).second || !list.contains(other) || block.W != list.at(other);
    }
    faults += seen.size() != list.size();
  }
  REQUIRE(faults == 0);
}

void check_packed(const LocalDynamics& ldy) {
  const auto diagonal = ldy.diagonal_arena();
  const auto off_diagonal = ldy.off_diagonal_arena();
  REQUIRE(diagonal.size() == ldy.row_count());
  REQUIRE(off_diagonal.size() == ldy.off_diagonal_count());
  CHECK(ldy.scattered() == 0.0);
  CHECK(ldy.head() == (diagonal.empty() ? kNone : 0));
  int faults = 0;
  Index block = 0;
  for (Index place = 0; place < diagonal.size(); ++place) {
    const DiagonalBlock& row = diagonal[place];
    faults += row.next != (place + 1 == diagonal.size() ? kNone : place + 1);
    if (row.first == kNone) continue;
    faults += row.first != block;
    for (; off_diagonal[block].next != kNone; ++block) {
      faults += off_diagonal[block].next != block + 1 || off_diagonal[block].other >= off_diagonal[block + 1].other;
    }
    ++block;
  }
  CHECK(block == off_diagonal.size());
  CHECK(faults == 0);
}

// One random step on both.
struct History {
  LocalDynamics ldy;
  Mirror mirror;
  std::mt19937 random;
  std::set<ConstraintId> ever_used;
  std::size_t most_blocks = 0;                         // since the last pack
  std::array<std::size_t, 2> most_rows{}, rows_now{};  // of laws of one and of two blocks

  ConstraintId any() {
    auto at = mirror.blocks.begin();
    std::advance(at, random() % mirror.blocks.size());
    return at->first;
  }
  void insert() {
    const int count = random() % 3 == 0 ? 2 : 1;
    const std::size_t bound = ldy.id_bound();
    const bool free_id = mirror.blocks.size() < bound;
    const ConstraintId id = ldy.insert(count == 2 ? two_blocks() : Law{ContactLaw{.friction = 0.3}});
    REQUIRE(!mirror.blocks.contains(id));
    CHECK((free_id ? id < bound : id == bound));  // a free id is used again before a new one is made
    mirror.insert(id, count);
    ever_used.insert(id);
    rows_now[count - 1] += count;
  }
  void couple() {
    const ConstraintId a = any(), b = any();
    if (a == b) return;
    const bool known = mirror.W[{a, 0}].contains({b, 0});
    ldy.couple(a, b);
    mirror.couple(a, b);
    if (known) return;
    for (int k = 0; k < mirror.blocks[a]; ++k) {
      for (int l = 0; l < mirror.blocks[b]; ++l) {
        for (auto [from, to] : {std::pair{RowKey{a, k}, RowKey{b, l}}, std::pair{RowKey{b, l}, RowKey{a, k}}}) {
          OffDiagonalBlock* block = ldy.find(from.id, from.k, to.id, to.k);
          REQUIRE(block != nullptr);
          REQUIRE(block->W.isZero(0));
          randomise(block->W, random);
          mirror.W[from][to] = block->W;
        }
      }
    }
  }
  void remove() {
    const ConstraintId id = any();
    rows_now[mirror.blocks[id] - 1] -= mirror.blocks[id];
    ldy.remove(id);
    mirror.remove(id);
  }
  void set_numbers() {
    const ConstraintId id = any();
    for (int k = 0; k < mirror.blocks[id]; ++k) {
      DiagonalBlock& row = ldy.row(id, k);
      for (Eigen::Vector3d* vector : {&row.R, &row.B, &row.U}) randomise(*vector, random);
      randomise(row.W, random);
      mirror.rows[{id, k}] = {row.W, row.R, row.B, row.U};
    }
  }
  void pack() {
    auto& sequence = mirror.sequence;
    switch (random() % 3) {
      case 0:
        ldy.pack(SweepOrder::by_id);
        std::sort(sequence.begin(), sequence.end());
        break;
      case 1:
        std::shuffle(sequence.begin(), sequence.end(), random);
        ldy.pack(sequence);
        break;
      default: {
        ldy.pack(SweepOrder::by_bandwidth);
        std::vector<ConstraintId> found;
        for (const DiagonalBlock& row : ldy.rows()) {
          if (found.empty() || found.back() != row.constraint) found.push_back(row.constraint);
        }
        REQUIRE(std::is_permutation(found.begin(), found.end(), sequence.begin(), sequence.end()));
        sequence = found;
      }
    }
    check_packed(ldy);
    most_blocks = 0;
    most_rows = {};
  }
  void step() {
    const auto draw = random() % 100;
    if (mirror.blocks.empty() || draw < 18) {
      insert();
    } else if (draw < 65) {
      couple();
    } else if (draw < 80) {
      remove();
    } else if (draw < 97) {
      set_numbers();
    } else {
      pack();
    }
    most_blocks = std::max(most_blocks, ldy.off_diagonal_count());
    for (int k = 0; k < 2; ++k) most_rows[k] = std::max(most_rows[k], rows_now[k]);
  }
};

}  // namespace

TEST_CASE("random histories: the graph holds what plain maps hold") {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    History history;
    history.random.seed(seed);
    for (int step = 0; step < 600; ++step) {
      CAPTURE(step);
      history.step();
      if (step % 20 == 0) check_same(history.ldy, history.mirror);
      // Free places are used before an arena grows.
      REQUIRE(history.ldy.off_diagonal_arena().size() == history.most_blocks);
      REQUIRE(history.ldy.diagonal_arena().size() == history.most_rows[0] + history.most_rows[1]);
      REQUIRE(history.ldy.scattered() >= 0.0);
      REQUIRE(history.ldy.scattered() <= 1.0);
    }
    check_same(history.ldy, history.mirror);

    // Emptied, it is a valid graph and starts again.
    while (!history.mirror.blocks.empty()) history.remove();
    check_same(history.ldy, history.mirror);
    history.pack();
    for (int step = 0; step < 50; ++step) history.step();
    check_same(history.ldy, history.mirror);
  }
}

TEST_CASE("pack gives the same arenas whatever the history") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    History history;
    history.random.seed(seed);
    for (int step = 0; step < 400; ++step) history.step();

    // The same constraints and couplings, put together in order of id.
    LocalDynamics fresh;
    for (ConstraintId id{0}; id < history.ldy.id_bound(); ++id) {
      const auto found = history.mirror.blocks.find(id);
      REQUIRE(fresh.insert(found != history.mirror.blocks.end() && found->second == 2
                               ? two_blocks()
                               : Law{ContactLaw{.friction = 0.3}}) == id);
    }
    for (ConstraintId id{0}; id < fresh.id_bound(); ++id) {
      if (!history.mirror.blocks.contains(id)) fresh.remove(id);
    }
    for (const auto& [row, list] : history.mirror.W) {
      for (const auto& [other, W] : list) {
        if (row.id != other.id) fresh.couple(row.id, other.id);
      }
    }
    for (const auto& [row, values] : history.mirror.rows) {
      DiagonalBlock& to = fresh.row(row.id, row.k);
      to.W = values.W, to.R = values.R, to.B = values.B, to.U = values.U;
      for (const auto& [other, W] : history.mirror.W[row]) fresh.find(row.id, row.k, other.id, other.k)->W = W;
    }

    for (SweepOrder order : {SweepOrder::by_id, SweepOrder::by_colour, SweepOrder::by_bandwidth}) {
      history.ldy.pack(order);
      fresh.pack(order);
      const auto rows = history.ldy.diagonal_arena(), fresh_rows = fresh.diagonal_arena();
      const auto blocks = history.ldy.off_diagonal_arena(), fresh_blocks = fresh.off_diagonal_arena();
      REQUIRE(rows.size() == fresh_rows.size());
      REQUIRE(blocks.size() == fresh_blocks.size());
      CHECK(std::equal(rows.begin(), rows.end(), fresh_rows.begin(), [](const auto& a, const auto& b) {
        return a.W == b.W && a.R == b.R && a.B == b.B && a.U == b.U && a.constraint == b.constraint &&
               a.first == b.first && a.previous == b.previous && a.next == b.next;
      }));
      CHECK(std::equal(blocks.begin(), blocks.end(), fresh_blocks.begin(), [](const auto& a, const auto& b) {
        return a.W == b.W && a.other == b.other && a.next == b.next;
      }));
    }
  }
}
