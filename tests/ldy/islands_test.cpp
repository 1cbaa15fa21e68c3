#include <doctest/doctest.h>

#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <locdyn/ldy/islands.hpp>

#include "ids.hpp"
#include "ldy/random_graph.hpp"

using namespace locdyn;
using namespace locdyn::test;

TEST_CASE("no constraint, no island") {
  const Islands islands = find_islands(LocalDynamics{});
  CHECK(islands.count == 0);
  CHECK(islands.label.empty());
}

TEST_CASE("islands are numbered by their smallest id, free ids have none") {
  LocalDynamics ldy;
  for (int k = 0; k < 6; ++k) ldy.insert(k == 4 ? test::two_blocks() : Law{ContactLaw{}});
  ldy.couple(ConstraintId{5}, ConstraintId{0});
  ldy.couple(ConstraintId{3}, ConstraintId{1});
  ldy.couple(ConstraintId{1}, ConstraintId{4});
  ldy.remove(ConstraintId{2});
  const std::vector<Index> expected{0, 1, kNone, 1, 1, 0};
  CHECK(find_islands(ldy).label == expected);
  CHECK(find_islands(ldy).count == 2);
  ldy.pack(ids<ConstraintId>({5, 4, 3, 1, 0}));
  CHECK(find_islands(ldy).label == expected);
  ldy.remove(ConstraintId{1});  // the bridge
  CHECK(find_islands(ldy).label == std::vector<Index>{0, kNone, kNone, 1, 2, 0});
}

TEST_CASE("islands of random graphs agree with merging sets") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    LocalDynamics ldy = test::random_graph(random, ConstraintId{300}, 1);
    for (int k = 0; k < 30; ++k) {
      const auto id = static_cast<ConstraintId>(random() % 300);
      if (ldy.contains(id)) ldy.remove(id);
    }
    // The smallest id that each constraint reaches, by relabelling until nothing changes.
    std::vector<ConstraintId> smallest(ldy.id_bound());
    std::iota(smallest.begin(), smallest.end(), ConstraintId{0});
    for (bool changed = true; changed;) {
      changed = false;
      for (const DiagonalBlock& row : ldy.rows()) {
        for (const auto& block : ldy.adjacent(row)) {
          const ConstraintId other = smallest[ldy.diagonal_arena()[block.other].constraint];
          if (other < smallest[row.constraint]) {
            smallest[row.constraint] = other;
            changed = true;
          }
        }
      }
    }
    const Islands islands = find_islands(ldy);
    Index next = 0;
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
      if (!ldy.contains(id)) {
        CHECK(islands.label[id] == kNone);
      } else {
        CHECK(islands.label[id] == (smallest[id] == id ? next++ : islands.label[smallest[id]]));
      }
    }
    CHECK(islands.count == next);
  }
}

TEST_CASE("a chain of a hundred thousand is one island") {
  LocalDynamics ldy;
  for (ConstraintId id{0}; id < 100'000; ++id) ldy.insert(ContactLaw{});
  for (ConstraintId id{1}; id < 100'000; ++id) ldy.couple(id, ConstraintId{id - 1});
  CHECK(find_islands(ldy).count == 1);
}
