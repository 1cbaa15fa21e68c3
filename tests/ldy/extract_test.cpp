// Parts of a graph as graphs of their own, and the factor of W that goes with a graph.

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <locdyn/ldy/islands.hpp>
#include <locdyn/ldy/residual.hpp>

#include "ids.hpp"
#include "ldy/random_graph.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

using Part = std::vector<ConstraintId>;

std::vector<LocalDynamics> extract(const LocalDynamics& ldy, const std::vector<Part>& parts) {
  const std::vector<std::span<const ConstraintId>> spans(parts.begin(), parts.end());
  return ldy.extract(spans);
}

bool same_law(const Law& a, const Law& b) {
  if (a.index() != b.index() || block_count(a) != block_count(b)) return false;
  for (int k = 0; k < block_count(a); ++k) {
    if (rows(a, k) != rows(b, k) || offset(a, k) != offset(b, k)) return false;
  }
  const auto* contact = std::get_if<ContactLaw>(&a);
  return contact == nullptr || contact->friction == std::get<ContactLaw>(b).friction;
}

// The constraints of `part`, their rows and the blocks between them, as `whole` has them.
void check_part(LocalDynamics& whole, LocalDynamics& graph, const Part& part) {
  REQUIRE(graph.constraint_count() == part.size());
  REQUIRE(graph.id_bound() == part.size());
  std::size_t row_count = 0, block_count_found = 0;
  for (ConstraintId name{0}; name < part.size(); ++name) {
    CAPTURE(name);
    const ConstraintId id = part[name];
    REQUIRE(graph.contains(name));
    CHECK(same_law(graph.law(name), whole.law(id)));
    for (int k = 0; k < block_count(whole.law(id)); ++k) {
      const DiagonalBlock &found = graph.row(name, k), &row = whole.row(id, k);
      CHECK(found.constraint == name);
      CHECK((found.W == row.W && found.B == row.B && found.R == row.R && found.U == row.U));
      // Packed in the order of the part.
      CHECK(&found - graph.diagonal_arena().data() == static_cast<std::ptrdiff_t>(row_count));
      ++row_count;
      for (ConstraintId other{0}; other < part.size(); ++other) {
        for (int l = 0; l < block_count(whole.law(part[other])); ++l) {
          if (other == name && l == k) continue;
          const OffDiagonalBlock* expected = whole.find(id, k, part[other], l);
          const OffDiagonalBlock* block = graph.find(name, k, other, l);
          REQUIRE((expected != nullptr) == (block != nullptr));
          if (block == nullptr) continue;
          CHECK(block->W == expected->W);
          ++block_count_found;
        }
      }
    }
  }
  CHECK(graph.row_count() == row_count);
  CHECK(graph.diagonal_arena().size() == row_count);
  CHECK(graph.off_diagonal_count() == block_count_found);
  CHECK(graph.off_diagonal_arena().size() == block_count_found);
  CHECK(graph.scattered() == 0);
  std::size_t swept = 0;
  for (const DiagonalBlock& row : graph.rows()) CHECK(&row == &graph.diagonal_arena()[swept++]);
  CHECK(swept == row_count);
}

// A factor whose row α has α couplings, so that rows can be told apart.
struct Numbered {
  std::vector<std::uint32_t> first{0};
  std::vector<Coupling> coupling;
  std::vector<double> inertia;
  std::vector<std::uint64_t> first_inertia{0};
  DelassusFactor view;
  explicit Numbered(std::size_t rows) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      coupling.push_back({.body = row, .freedoms = 3, .place = 3 * row});
      first.push_back(row + 1);
      inertia.resize(inertia.size() + 9, row);
      first_inertia.push_back(inertia.size());
    }
    view.first = first;
    view.coupling = coupling;
    view.inertia = inertia;
    view.first_inertia = first_inertia;
  }
};

}  // namespace

TEST_CASE("extracted parts hold the same laws, rows and blocks") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    LocalDynamics ldy = test::random_graph(random, ConstraintId{24}, 5);
    for (const unsigned gone : {3u, 11u}) ldy.remove(ConstraintId{gone});
    if (seed % 2 == 0) ldy.pack(SweepOrder::by_bandwidth);
    Part all;
    for (ConstraintId id{0}; id < 24; ++id) {
      if (ldy.contains(id)) all.push_back(id);
    }
    std::shuffle(all.begin(), all.end(), random);
    // Parts that share constraints, one of all and one of none.
    const std::vector<Part> parts{{all.begin(), all.begin() + 7}, {all.begin() + 4, all.end()}, {}, all, {all[0]}};
    std::vector<LocalDynamics> graphs = extract(ldy, parts);
    REQUIRE(graphs.size() == parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      CAPTURE(i);
      check_part(ldy, graphs[i], parts[i]);
    }
    // A part is a graph like any other: it may be changed and packed.
    graphs[3].remove(ConstraintId{5});
    const ConstraintId again = graphs[3].insert(ContactLaw{});
    CHECK(again == 5);
    graphs[3].couple(again, ConstraintId{0});
    graphs[3].pack(SweepOrder::by_id);
    CHECK(graphs[3].constraint_count() == all.size());
    CHECK(ldy.constraint_count() == 22);
  }
}

TEST_CASE("extract refuses an id twice in one part and one that is not in the graph") {
  std::mt19937 random(1);
  LocalDynamics ldy = test::random_graph(random, ConstraintId{6}, 2);
  ldy.remove(ConstraintId{2});
  CHECK_THROWS_AS((void)extract(ldy, {ids<ConstraintId>({0, 1, 0})}), std::invalid_argument);
  CHECK_THROWS_AS((void)extract(ldy, {ids<ConstraintId>({0}), ids<ConstraintId>({1, 2})}), std::invalid_argument);
  CHECK_THROWS_AS((void)extract(ldy, {ids<ConstraintId>({6})}), std::invalid_argument);
  CHECK(extract(ldy, {ids<ConstraintId>({0}), ids<ConstraintId>({0})}).size() == 2);  // in two parts it may be
  CHECK(extract(ldy, {}).empty());
}

TEST_CASE("the members of islands: each constraint once, in sweep order") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    LocalDynamics ldy = test::random_graph(random, ConstraintId{60}, 1);
    for (unsigned id = 0; id < 60; id += 7) ldy.remove(ConstraintId{id});
    ldy.pack(seed % 2 == 0 ? SweepOrder::by_bandwidth : SweepOrder::by_colour);
    const Islands islands = find_islands(ldy);
    REQUIRE(islands.first.size() == islands.count + 1);
    CHECK(islands.first.front() == 0);
    CHECK(islands.first.back() == ldy.constraint_count());
    CHECK(islands.members.size() == ldy.constraint_count());
    for (Index i = 0; i < islands.count; ++i) {
      Part expected;
      for (const DiagonalBlock& row : ldy.rows()) {
        if (islands.label[row.constraint] == i && (expected.empty() || expected.back() != row.constraint)) {
          expected.push_back(row.constraint);
        }
      }
      const auto island = islands.island(i);
      CHECK(Part(island.begin(), island.end()) == expected);
      CHECK(!expected.empty());
    }
  }
}

TEST_CASE("each island is judged as the graph that it is by itself") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    LocalDynamics ldy = test::random_graph(random, ConstraintId{80}, 1);
    ldy.pack(SweepOrder::by_id);
    const Islands islands = find_islands(ldy);
    REQUIRE(islands.count > 1);
    std::vector<Part> parts;
    for (Index i = 0; i < islands.count; ++i) parts.emplace_back(islands.island(i).begin(), islands.island(i).end());
    std::vector<LocalDynamics> graphs = extract(ldy, parts);
    LocalDynamics on_threads = ldy;
    const std::vector<Residual> residuals = evaluate_residuals(ldy, islands);
    const std::vector<Residual> threaded = evaluate_residuals(on_threads, islands, 3);
    REQUIRE(residuals.size() == islands.count);
    for (Index i = 0; i < islands.count; ++i) {
      CAPTURE(i);
      // Fewer than 256 rows: both add up in the same order.
      const Residual own = evaluate_residual(graphs[i]);
      CHECK(residuals[i].scaled == own.scaled);
      CHECK(residuals[i].relative == own.relative);
      CHECK(residuals[i].absolute == own.absolute);
      CHECK(residuals[i].floor == own.floor);
      CHECK(residuals[i].cone == own.cone);
      CHECK(residuals[i].penetration == own.penetration);
      CHECK(residuals[i].complementarity == own.complementarity);
      CHECK(residuals[i].worst == parts[i][own.worst]);
      CHECK(threaded[i].scaled == own.scaled);
      for (ConstraintId name{0}; name < parts[i].size(); ++name) {
        for (int k = 0; k < block_count(ldy.law(parts[i][name])); ++k) {
          CHECK(ldy.row(parts[i][name], k).U == graphs[i].row(name, k).U);
        }
      }
    }
  }
  LocalDynamics empty;
  CHECK(evaluate_residuals(empty, find_islands(empty)).empty());
  CHECK_THROWS_AS((void)evaluate_residuals(empty, find_islands(empty), 0), std::invalid_argument);
}

TEST_CASE("a graph forgets its factor as soon as its rows change, and a copy never has one") {
  const auto changed = [](const auto& change) {
    std::mt19937 random(1);
    LocalDynamics ldy = test::random_graph(random, ConstraintId{6}, 0);
    const Numbered numbered(ldy.row_count());
    CHECK(ldy.factor() == nullptr);
    ldy.set_factor(numbered.view);
    REQUIRE(ldy.factor() != nullptr);
    ldy.set_law(ConstraintId{0}, ldy.law(ConstraintId{0}));  // no symbolic change
    REQUIRE(ldy.factor() != nullptr);
    change(ldy);
    return ldy.factor() == nullptr;
  };
  CHECK(changed([](LocalDynamics& ldy) { ldy.insert(ContactLaw{}); }));
  CHECK(changed([](LocalDynamics& ldy) { ldy.couple(ConstraintId{0}, ConstraintId{1}); }));
  CHECK(changed([](LocalDynamics& ldy) { ldy.remove(ConstraintId{0}); }));
  CHECK(changed([](LocalDynamics& ldy) { ldy.pack(SweepOrder::by_id); }));
  CHECK(changed([](LocalDynamics& ldy) { ldy.pack(ids<ConstraintId>({5, 4, 3, 2, 1, 0})); }));
  CHECK(changed([](LocalDynamics& ldy) {
    const LocalDynamics copy = ldy;
    ldy = copy;
  }));
  CHECK(!changed([](LocalDynamics& ldy) {
    const LocalDynamics copy = ldy;
    CHECK(copy.factor() == nullptr);
  }));
  CHECK(changed([](LocalDynamics& ldy) {
    LocalDynamics moved = std::move(ldy);
    CHECK(moved.factor() == nullptr);  // what it points to may end with the place it came from
    ldy = std::move(moved);
  }));
}

TEST_CASE("the factor of an extracted graph, and of one extracted from that, names the rows of the first") {
  std::mt19937 random(4);
  LocalDynamics ldy = test::random_graph(random, ConstraintId{12}, 3);
  const Numbered numbered(ldy.diagonal_arena().size());
  ldy.set_factor(numbered.view);
  const Part part = ids<ConstraintId>({7, 2, 9, 4, 11, 0}), inner = ids<ConstraintId>({5, 1, 3});
  std::vector<LocalDynamics> graphs = extract(ldy, {part});
  std::vector<LocalDynamics> nested = extract(graphs[0], {inner});
  const auto row_of = [](const LocalDynamics& graph, ConstraintId id, int k) {
    REQUIRE(graph.factor() != nullptr);
    const auto place = static_cast<std::uint32_t>(&graph.row(id, k) - graph.diagonal_arena().data());
    const auto couplings = graph.factor()->couplings(place);
    REQUIRE(couplings.size() == 1);
    CHECK(graph.factor()->inertia_of(couplings[0])(0, 0) == static_cast<double>(couplings[0].place / 3));
    return couplings[0].place;
  };
  for (ConstraintId name{0}; name < part.size(); ++name) {
    for (int k = 0; k < block_count(graphs[0].law(name)); ++k) {
      CHECK(row_of(graphs[0], name, k) == row_of(ldy, part[name], k));
    }
  }
  for (ConstraintId name{0}; name < inner.size(); ++name) {
    for (int k = 0; k < block_count(nested[0].law(name)); ++k) {
      CHECK(row_of(nested[0], name, k) == row_of(ldy, part[inner[name]], k));
    }
  }
  // Its groups are numbered in the order in which its rows meet them.
  CHECK(graphs[0].factor()->group_count() == graphs[0].row_count());
  CHECK(nested[0].factor()->couplings(0)[0].body == 0);

  LocalDynamics bare = test::random_graph(random, ConstraintId{4}, 2);
  CHECK(extract(bare, {ids<ConstraintId>({0, 1})})[0].factor() == nullptr);
}
