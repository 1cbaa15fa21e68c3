// The off-diagonal blocks of a graph that comes from bodies: not made before somebody asks, and the same in all else.

#include <doctest/doctest.h>

#include <future>
#include <stdexcept>
#include <utility>
#include <vector>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/ldy/velocities.hpp>

#include "random_scene.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

struct DemandCase {
  explicit DemandCase(unsigned seed, int body_count = 14, int constraint_count = 25) : scene(seed, body_count) {
    for (int i = 0; i < constraint_count; ++i) ids.push_back(assembly.insert(scene.make_constraint().constraint));
    scene.bodies.predict(RandomScene::h, {0, 0, -9.81});
    assembly.update(RandomScene::h);
    std::mt19937 random(seed);
    for (DiagonalBlock& row : ldy.rows()) {
      const RowMask used = rows(ldy.law(row.constraint), ldy.block_of(row));
      for (int k = 0; k < 3; ++k) row.R[k] = uses(used, k) ? static_cast<double>(random() % 100) / 10 - 2 : 0;
    }
  }

  RandomScene scene;
  LocalDynamics ldy;
  Assembly assembly{scene.bodies, ldy};
  std::vector<ConstraintId> ids;
};

void check_same_blocks(const LocalDynamics& a, const LocalDynamics& b) {
  REQUIRE(a.off_diagonal_count() == b.off_diagonal_count());
  auto row = b.rows().begin();
  for (const DiagonalBlock& in_a : a.rows()) {
    CAPTURE(in_a.constraint);
    CHECK(in_a.W == row->W);
    auto block = b.adjacent(*row).begin();
    for (const OffDiagonalBlock& in_list : a.adjacent(in_a)) {
      REQUIRE(block != b.adjacent(*row).end());
      CHECK(a.diagonal_arena()[in_list.other].constraint == b.diagonal_arena()[block->other].constraint);
      CHECK(in_list.W == block->W);
      ++block;
    }
    CHECK(block == b.adjacent(*row).end());
    ++row;
  }
}

}  // namespace

TEST_CASE("residuals, velocities and islands do without blocks, and are those that the blocks give") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    // Few constraints on many bodies: several islands.
    DemandCase without(seed, 30, 16), with(seed, 30, 16);
    with.ldy.require_blocks();
    const Islands islands = find_islands(without.ldy), expected = find_islands(with.ldy);
    CHECK(islands.label == expected.label);
    CHECK(islands.members == expected.members);
    CHECK(islands.first == expected.first);
    const std::vector<Residual> each = evaluate_residuals(without.ldy, islands);
    const std::vector<Residual> each_expected = evaluate_residuals(with.ldy, islands);
    for (Index i = 0; i < islands.count; ++i) {
      // Rounding of sums of some ten products.
      CHECK(each[i].scaled == doctest::Approx(each_expected[i].scaled).epsilon(1e-11));
      CHECK(each[i].worst == each_expected[i].worst);
    }
    CHECK(evaluate_residual(without.ldy, 2).scaled ==
          doctest::Approx(evaluate_residual(with.ldy).scaled).epsilon(1e-11));
    CHECK(velocity_products(without.ldy) > 0);
    CHECK(!without.ldy.has_blocks());
    auto row = with.ldy.rows().begin();
    for (const DiagonalBlock& own : without.ldy.rows()) {
      CHECK((own.U - row->U).norm() <= 1e-11 * (1 + row->U.norm()));
      ++row;
    }
  }
}

TEST_CASE("blocks are the same whoever asks, on any number of threads, in a copy and in what was moved") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const DemandCase one(seed), two(seed), copied(seed);
    DemandCase moved(seed);
    one.ldy.require_blocks();
    two.ldy.require_blocks(2);
    check_same_blocks(one.ldy, two.ldy);
    const LocalDynamics copy = copied.ldy;
    CHECK(copy.has_blocks());
    CHECK(copy.factor() == nullptr);
    check_same_blocks(one.ldy, copy);
    LocalDynamics target = std::move(moved.ldy);
    check_same_blocks(one.ldy, target);
    // What stands alone is coupled by hand again.
    const ConstraintId extra = target.insert(ContactLaw{});
    target.couple(extra, one.ids[0]);
    CHECK(target.off_diagonal_count() == one.ldy.off_diagonal_count() + 2 * block_count(target.law(one.ids[0])));
  }
}

TEST_CASE("several threads that ask at once get the same blocks") {
  const DemandCase asked(3), expected(3);
  std::vector<std::future<std::size_t>> counts;
  for (int i = 0; i < 4; ++i) {
    counts.push_back(std::async(std::launch::async, [&] { return asked.ldy.off_diagonal_count(); }));
  }
  for (std::future<std::size_t>& count : counts) CHECK(count.get() == expected.ldy.off_diagonal_count());
  check_same_blocks(asked.ldy, expected.ldy);
}

TEST_CASE("an extracted part makes the blocks of its own, as those copied") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const DemandCase without(seed), with(seed);
    with.ldy.require_blocks();
    const std::vector<ConstraintId> ids{without.ids[7], without.ids[2], without.ids[19], without.ids[11]};
    const std::vector<std::span<const ConstraintId>> parts{ids};
    LocalDynamics part = without.ldy.extract(parts).front();  // made when it is moved out
    check_same_blocks(part, with.ldy.extract(parts).front());
    CHECK(!without.ldy.has_blocks());
    const std::vector<LocalDynamics> lazy = without.ldy.extract(parts);
    CHECK(!lazy[0].has_blocks());
    check_same_blocks(lazy[0], part);
  }
}

TEST_CASE("blocks are refused between a symbolic change and the next update") {
  DemandCase c(5);
  c.ldy.require_blocks();
  c.assembly.remove(c.ids[3]);
  CHECK(!c.ldy.has_blocks());
  CHECK_THROWS_AS(c.ldy.require_blocks(), std::logic_error);
  CHECK_THROWS_AS((void)c.ldy.adjacent(c.ldy.row(c.ids[0])), std::logic_error);
  CHECK_THROWS_AS((void)c.ldy.find(c.ids[0], 0, c.ids[1], 0), std::logic_error);
  CHECK_THROWS_AS((void)c.ldy.off_diagonal_count(), std::logic_error);
  CHECK_THROWS_AS((void)evaluate_residual(c.ldy), std::logic_error);
  CHECK_THROWS_AS(c.ldy.couple(c.ids[0], c.ids[1]), std::logic_error);
  CHECK_THROWS_AS(c.ldy.make_blocks_on_demand(), std::logic_error);
  c.assembly.update(RandomScene::h);
  CHECK_NOTHROW(c.ldy.require_blocks());
}
