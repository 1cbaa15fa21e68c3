#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

#include "ids.hpp"
#include "ldy/random_graph.hpp"

using namespace locdyn;
using namespace locdyn::test;
using locdyn::test::two_blocks;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<ConstraintId> sweep(const LocalDynamics& ldy) {
  std::vector<ConstraintId> ids;
  for (const DiagonalBlock& row : ldy.rows()) ids.push_back(row.constraint);
  return ids;
}

LocalDynamics chain(ConstraintId count) {
  LocalDynamics ldy;
  for (ConstraintId id{0}; id < count; ++id) ldy.insert(ContactLaw{});
  for (ConstraintId id{1}; id < count; ++id) ldy.couple(ConstraintId{id - 1}, id);
  return ldy;
}

// The largest distance in the arena between two linked rows.
Index bandwidth(const LocalDynamics& ldy) {
  Index width = 0;
  const auto diagonal = ldy.diagonal_arena();
  for (Index place = 0; place < diagonal.size(); ++place) {
    for (const auto& block : ldy.adjacent(diagonal[place])) {
      width = std::max(width, place > block.other ? place - block.other : block.other - place);
    }
  }
  return width;
}

}  // namespace

TEST_CASE("an empty graph is a valid graph") {
  LocalDynamics ldy;
  CHECK(ldy.constraint_count() == 0);
  CHECK(ldy.id_bound() == 0);
  CHECK_FALSE(ldy.contains(ConstraintId{0}));
  CHECK_FALSE(ldy.contains(ConstraintId{kNone}));
  CHECK(sweep(ldy).empty());
  CHECK(ldy.scattered() == 0.0);
  ldy.pack(SweepOrder::by_id);
  ldy.pack(SweepOrder::by_bandwidth);
  ldy.pack(std::vector<ConstraintId>{});
  CHECK(ldy.head() == kNone);
}

TEST_CASE("rows follow the order of insertion until a pack") {
  LocalDynamics ldy = chain(ConstraintId{4});
  CHECK(sweep(ldy) == ids<ConstraintId>({0, 1, 2, 3}));
  ldy.remove(ConstraintId{1});
  CHECK(ldy.insert(ContactLaw{}) == 1);
  CHECK(sweep(ldy) == ids<ConstraintId>({0, 2, 3, 1}));
  CHECK(ldy.scattered() > 0.0);
  ldy.pack(SweepOrder::by_id);
  CHECK(sweep(ldy) == ids<ConstraintId>({0, 1, 2, 3}));
  ldy.pack(ids<ConstraintId>({3, 1, 0, 2}));
  CHECK(sweep(ldy) == ids<ConstraintId>({3, 1, 0, 2}));
}

TEST_CASE("a law of two blocks owns two consecutive rows, linked with each other and with every neighbour") {
  LocalDynamics ldy;
  const ConstraintId hinge = ldy.insert(two_blocks());
  const ConstraintId contact = ldy.insert(ContactLaw{});
  CHECK(ldy.row_count() == 3);
  CHECK(ldy.off_diagonal_count() == 2);
  ldy.couple(contact, hinge);
  ldy.couple(hinge, contact);  // known already
  CHECK(ldy.off_diagonal_count() == 6);
  CHECK(&ldy.row(hinge, 1) == &ldy.row(hinge, 0) + 1);
  CHECK(sweep(ldy) == std::vector<ConstraintId>{hinge, hinge, contact});
  for (int k = 0; k < 2; ++k) {
    CHECK(ldy.find(hinge, k, contact, 0) != nullptr);
    CHECK(ldy.find(contact, 0, hinge, k) != nullptr);
    CHECK(ldy.find(hinge, k, hinge, 1 - k) != nullptr);
    CHECK(ldy.find(hinge, k, hinge, k) == nullptr);  // the diagonal is in the row itself
  }
  ldy.remove(hinge);
  CHECK(ldy.off_diagonal_count() == 0);
  CHECK(ldy.row(contact).first == kNone);
}

TEST_CASE("used again, ids and places hold zeros") {
  LocalDynamics ldy = chain(ConstraintId{3});
  ldy.row(ConstraintId{1}).W.setConstant(kNaN);
  ldy.row(ConstraintId{1}).R.setConstant(kNaN);
  ldy.row(ConstraintId{1}).B.setConstant(kNaN);
  ldy.row(ConstraintId{1}).U.setConstant(kNaN);
  ldy.find(ConstraintId{0}, 0, ConstraintId{1}, 0)->W.setConstant(kNaN);
  ldy.remove(ConstraintId{1});
  REQUIRE(ldy.insert(ContactLaw{.friction = 0.7}) == 1);
  ldy.couple(ConstraintId{0}, ConstraintId{1});
  const DiagonalBlock& row = ldy.row(ConstraintId{1});
  CHECK((row.W.isZero(0) && row.R.isZero(0) && row.B.isZero(0) && row.U.isZero(0)));
  CHECK(ldy.find(ConstraintId{0}, 0, ConstraintId{1}, 0)->W.isZero(0));
  CHECK(std::get<ContactLaw>(ldy.law(ConstraintId{1})).friction == 0.7);
}

TEST_CASE("a law of the graph itself can be inserted") {
  LocalDynamics ldy;
  ldy.insert(two_blocks());
  for (int copy = 0; copy < 20; ++copy) ldy.insert(ldy.law(ConstraintId{0}));
  CHECK(ldy.row_count() == 42);
}

TEST_CASE("the bandwidth order finds the chain again that a shuffle has hidden") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::vector<ConstraintId> hidden(200);
    std::iota(hidden.begin(), hidden.end(), ConstraintId{0});
    std::shuffle(hidden.begin(), hidden.end(), random);
    LocalDynamics ldy;
    for (std::size_t k = 0; k < hidden.size(); ++k) ldy.insert(ContactLaw{});
    for (std::size_t k = 1; k < hidden.size(); ++k) ldy.couple(hidden[k - 1], hidden[k]);
    ldy.pack(SweepOrder::by_bandwidth);
    CHECK(bandwidth(ldy) == 1);
  }
}

TEST_CASE("a copy of a graph is a graph of its own") {
  LocalDynamics ldy = chain(ConstraintId{3});
  LocalDynamics copy = ldy;
  copy.remove(ConstraintId{1});
  copy.pack(SweepOrder::by_id);
  CHECK(ldy.constraint_count() == 3);
  CHECK(ldy.off_diagonal_count() == 4);
  CHECK(copy.off_diagonal_count() == 0);
}

TEST_CASE("both arenas start a cache line, so that no R is split") {
  LocalDynamics ldy = chain(ConstraintId{100});
  for (int time = 0; time < 2; ++time) {
    CHECK(reinterpret_cast<std::uintptr_t>(ldy.diagonal_arena().data()) % 64 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(ldy.off_diagonal_arena().data()) % 64 == 0);
    ldy.pack(SweepOrder::by_id);
  }
}

TEST_CASE("set_law keeps the shape of a constraint") {
  LocalDynamics ldy;
  const ConstraintId id = ldy.insert(ContactLaw{.friction = 0.1});
  ldy.set_law(id, ContactLaw{.friction = 0.9, .shift = {0, 0, -1}});
  CHECK(std::get<ContactLaw>(ldy.law(id)).friction == 0.9);
  ldy.set_law(id, BilateralLaw{});  // three rows as before
  CHECK(std::holds_alternative<BilateralLaw>(ldy.law(id)));
  CHECK_THROWS_WITH_AS(ldy.set_law(id, two_blocks()), doctest::Contains("constraint 0: expected a law with the same"),
                       std::invalid_argument);
  CHECK_THROWS_AS(ldy.set_law(id, ContactLaw{.planar = true}), std::invalid_argument);
  CHECK_THROWS_AS(ldy.set_law(id, ContactLaw{.friction = -1}), std::invalid_argument);
  CHECK_THROWS_AS(ldy.set_law(ConstraintId{7}, ContactLaw{}), std::invalid_argument);
}

TEST_CASE("a law that is not valid is refused by name and leaves the graph as it was") {
  LocalDynamics ldy = chain(ConstraintId{2});
  CHECK_THROWS_WITH_AS(ldy.insert(ContactLaw{.friction = -0.5}),
                       doctest::Contains("constraint 2: friction: expected a finite number >= 0, found -0.5"),
                       std::invalid_argument);
  CHECK_THROWS_AS(ldy.insert(ContactLaw{.friction = kNaN}), std::invalid_argument);
  CHECK_THROWS_AS(ldy.insert(ContactLaw{.shift = {0, 0, kNaN}}), std::invalid_argument);
  CHECK_THROWS_AS(ldy.insert(ContactLaw{.shift = {kNaN, 0, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(ldy.insert(ContactLaw{.shift = {0, 1, 0}, .planar = true}), std::invalid_argument);
  CHECK_THROWS_AS(ldy.insert(BilateralLaw{.block_count = 0, .block = {}}), std::invalid_argument);
  CHECK_THROWS_AS(ldy.insert(BilateralLaw{.block_count = 3, .block = {}}), std::invalid_argument);
  BilateralLaw law;
  law.block[0].compliance[1] = -1;
  CHECK_THROWS_AS(ldy.insert(law), std::invalid_argument);
  law = {};
  law.block[0].shift[2] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(ldy.insert(law), std::invalid_argument);
  for (RowMask rows : {RowMask{0}, RowMask{8}}) {
    law = {};
    law.block[0].rows = rows;
    CHECK_THROWS_WITH_AS(ldy.insert(law), doctest::Contains("rows: expected a mask from 1 to 7"),
                         std::invalid_argument);
  }
  CHECK(ldy.constraint_count() == 2);
  CHECK(ldy.id_bound() == 2);
  CHECK(ldy.insert(ContactLaw{}) == 2);
}

TEST_CASE("ids that are not in the graph are refused") {
  LocalDynamics ldy = chain(ConstraintId{3});
  ldy.remove(ConstraintId{1});
  for (const ConstraintId bad : ids<ConstraintId>({1, 3, kNone})) {
    CAPTURE(bad);
    CHECK_THROWS_AS(ldy.couple(ConstraintId{0}, bad), std::invalid_argument);
    CHECK_THROWS_AS(ldy.couple(bad, ConstraintId{0}), std::invalid_argument);
    CHECK_THROWS_AS(ldy.remove(bad), std::invalid_argument);
    CHECK_THROWS_AS((void)ldy.find(ConstraintId{0}, 0, bad, 0), std::invalid_argument);
    CHECK_THROWS_AS((void)ldy.find(bad, 0, ConstraintId{0}, 0), std::invalid_argument);
  }
  CHECK_THROWS_WITH_AS(ldy.remove(ConstraintId{1}),
                       doctest::Contains("remove: expected a constraint of the graph, found id 1"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(ldy.couple(ConstraintId{2}, ConstraintId{2}),
                       doctest::Contains("expected two constraints, found 2 twice"), std::invalid_argument);
  CHECK_THROWS_AS((void)ldy.find(ConstraintId{0}, 1, ConstraintId{2}, 0),
                  std::invalid_argument);  // a contact has one row
  CHECK_THROWS_AS((void)ldy.find(ConstraintId{0}, 0, ConstraintId{2}, -1), std::invalid_argument);
}

TEST_CASE("a sequence that does not name each constraint once is refused and changes nothing") {
  LocalDynamics ldy = chain(ConstraintId{3});
  for (const std::vector<ConstraintId>& bad :
       {ids<ConstraintId>({0, 1}), ids<ConstraintId>({0, 1, 1}), ids<ConstraintId>({0, 1, 2, 2}),
        ids<ConstraintId>({0, 1, 3}), ids<ConstraintId>({}), ids<ConstraintId>({0, 1, 2, 3})}) {
    CHECK_THROWS_AS(ldy.pack(bad), std::invalid_argument);
    CHECK(sweep(ldy) == ids<ConstraintId>({0, 1, 2}));
    CHECK(ldy.find(ConstraintId{0}, 0, ConstraintId{1}, 0) != nullptr);
    CHECK(ldy.off_diagonal_count() == 4);
  }
  ldy.pack(ids<ConstraintId>({2, 0, 1}));
  CHECK(sweep(ldy) == ids<ConstraintId>({2, 0, 1}));
}

TEST_CASE("pack by colour: runs of constraints that are not coupled, at most one more than the most neighbours") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    LocalDynamics ldy = test::random_graph(random, ConstraintId{200}, 6);
    ldy.pack(SweepOrder::by_colour);

    // A run ends where a constraint is coupled with one of the run, or where ids start to fall.
    std::vector<ConstraintId> run;
    std::size_t runs = 0, most_neighbours = 0;
    for (const DiagonalBlock& row : ldy.rows()) {
      const ConstraintId id = row.constraint;
      if (&row != &ldy.row(id)) continue;
      std::set<ConstraintId> neighbours;
      for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
        const ConstraintId other = ldy.diagonal_arena()[block.other].constraint;
        if (other != id) neighbours.insert(other);
      }
      most_neighbours = std::max(most_neighbours, neighbours.size());
      const bool coupled =
          std::any_of(run.begin(), run.end(), [&](ConstraintId in) { return neighbours.count(in) > 0; });
      if (run.empty() || coupled || id < run.back()) {
        run.clear();
        ++runs;
      }
      run.push_back(id);
    }
    CHECK(runs <= most_neighbours + 1);
  }
}

TEST_CASE("free ids past the last one in use are dropped, the others given again lowest first") {
  LocalDynamics ldy;
  for (int i = 0; i < 10; ++i) (void)ldy.insert(ContactLaw{});
  for (const unsigned id : {9u, 2u, 7u, 8u, 4u}) ldy.remove(ConstraintId{id});
  CHECK(ldy.id_bound() == 10);
  ldy.drop_free_ids();
  CHECK(ldy.id_bound() == 7);
  CHECK(ldy.constraint_count() == 5);
  for (const unsigned id : {2u, 4u, 7u, 8u}) CHECK(ldy.insert(ContactLaw{}) == id);
  for (ConstraintId id{0}; id < 9; ++id) CHECK(ldy.contains(id));
  for (ConstraintId id{0}; id < 9; ++id) ldy.remove(id);
  ldy.drop_free_ids();
  CHECK(ldy.id_bound() == 0);
  CHECK(ldy.insert(ContactLaw{}) == 0);
}

TEST_CASE("couple many: the same graph as one by one, whatever the order and however often") {
  const auto graph = [](bool at_once, bool linked_before) {
    LocalDynamics ldy;
    for (int i = 0; i < 5; ++i) ldy.insert(ContactLaw{});
    BilateralLaw hinge;
    hinge.block_count = 2;
    ldy.insert(hinge);
    if (linked_before) ldy.couple(ConstraintId{1}, ConstraintId{3});
    std::vector<std::pair<ConstraintId, ConstraintId>> pairs;
    for (const auto& [a, b] : {std::pair(4, 0), {0, 4}, {1, 3}, {5, 2}, {3, 1}, {0, 1}}) {
      pairs.emplace_back(ConstraintId{a}, ConstraintId{b});
    }
    if (at_once) {
      ldy.couple(pairs);
    } else {
      for (const auto& [a, b] : pairs) ldy.couple(a, b);
    }
    ldy.pack(SweepOrder::by_id);
    std::vector<std::pair<Index, Index>> links;
    for (const DiagonalBlock& row : ldy.rows()) {
      for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
        links.emplace_back(static_cast<Index>(&row - ldy.diagonal_arena().data()), block.other);
      }
    }
    return links;
  };
  const auto one_by_one = graph(false, false);
  CHECK(one_by_one.size() == 2 * 3 + 2 * 2 + 2);
  CHECK(graph(true, false) == one_by_one);
  CHECK(graph(true, true) == one_by_one);

  LocalDynamics ldy;
  ldy.insert(ContactLaw{});
  ldy.insert(ContactLaw{});
  const std::vector<std::pair<ConstraintId, ConstraintId>> twice{{ConstraintId{0}, ConstraintId{1}},
                                                                 {ConstraintId{1}, ConstraintId{1}}};
  CHECK_THROWS_AS(ldy.couple(twice), std::invalid_argument);
  CHECK(ldy.off_diagonal_count() == 0);
}
