// Domains and seams: what two threads may sweep at once.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/solver/nsgs/dissection.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;

namespace {

// By place in the sequence: its batch, and by batch: its colour.
struct Places {
  std::vector<Index> batch, colour;
  explicit Places(const SweepSchedule& schedule) {
    for (Index c = 0; c < schedule.colour_count(); ++c) {
      colour.insert(colour.end(), schedule.colour[c + 1] - schedule.colour[c], c);
    }
    for (Index b = 0; b < schedule.batch_count(); ++b) {
      batch.insert(batch.end(), schedule.first[b + 1] - schedule.first[b], b);
    }
  }
};

// The bodies that a constraint acts on.
std::vector<std::uint32_t> bodies_of(const LocalDynamics& ldy, ConstraintId id) {
  std::vector<std::uint32_t> bodies;
  const auto place = static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data());
  for (const Coupling& c : ldy.factor()->couplings(place)) bodies.push_back(c.body);
  return bodies;
}

// Bodies on which two batches of one colour act.
std::size_t shared_bodies(const LocalDynamics& ldy, const SweepSchedule& schedule) {
  const Places places(schedule);
  std::map<std::pair<Index, std::uint32_t>, std::set<Index>> batches;  // by colour and body
  for (std::size_t i = 0; i < schedule.sequence.size(); ++i) {
    const Index batch = places.batch[i];
    for (const std::uint32_t body : bodies_of(ldy, schedule.sequence[i])) {
      batches[{places.colour[batch], body}].insert(batch);
    }
  }
  return static_cast<std::size_t>(
      std::count_if(batches.begin(), batches.end(), [](const auto& entry) { return entry.second.size() > 1; }));
}

}  // namespace

TEST_CASE("dissection: parts of one pass share no body, and nobody is left out") {
  for (const std::string scene : {"wall", "tower", "spheres", "arch", "machine", "heavy"}) {
    for (const Index least : {Index{1}, Index{40}, kDomain}) {
      CAPTURE(scene);
      CAPTURE(least);
      const BuiltinProblem problem = make_builtin(scene, 1500);
      const LocalDynamics& ldy = *problem.ldy;
      const SweepSchedule schedule = dissected_schedule(ldy, least);
      std::vector<ConstraintId> all = schedule.sequence;
      std::sort(all.begin(), all.end());
      CHECK(all.size() == ldy.constraint_count());
      CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
      CHECK(schedule.first.back() == all.size());
      CHECK(schedule.colour.back() == schedule.batch_count());
      if (schedule.parallel == 0) {
        CHECK(schedule.batch_count() == 1);
        continue;
      }
      CHECK(schedule.parallel == 2);
      CHECK(shared_bodies(ldy, schedule) == 0);
    }
  }
}

TEST_CASE("dissection: domains are large, and what is small stays whole") {
  const BuiltinProblem wall = make_builtin("wall", 6000);
  const SweepSchedule schedule = dissected_schedule(*wall.ldy);
  REQUIRE(schedule.parallel == 2);
  const Index domains = schedule.colour[1];
  CHECK(domains >= 8);
  CHECK(schedule.first[domains] >= domains * kDomain / 2);
  CHECK(dissected_schedule(*wall.ldy, kDomain, 2).sequence == schedule.sequence);
  CHECK(dissected_schedule(*make_builtin("wall", 200).ldy).parallel == 0);
}

TEST_CASE("dissection: small seams are joined, and nearly all of a tower's contacts go by four") {
  const BuiltinProblem tower = make_builtin("tower", 1500);
  const LocalDynamics& ldy = *tower.ldy;
  const SweepSchedule schedule = dissected_schedule(ldy);
  REQUIRE(schedule.parallel == 2);
  const Index seams = schedule.batch_count() - schedule.colour[1];
  CHECK(seams >= 2);
  CHECK(seams < schedule.colour[1] - 1);
  for (Index batch = schedule.colour[1]; batch + 1 < schedule.batch_count(); ++batch) {
    CHECK(schedule.first[batch + 1] - schedule.first[batch] >= 64);
  }

  std::size_t by_four = 0;
  for (Index batch = 0; batch < schedule.batch_count(); ++batch) {
    for (Index i = schedule.first[batch]; i + 4 <= schedule.first[batch + 1];) {
      std::vector<std::uint32_t> bodies;
      for (Index l = 0; l < 4; ++l) {
        for (const std::uint32_t body : bodies_of(ldy, schedule.sequence[i + l])) bodies.push_back(body);
      }
      std::sort(bodies.begin(), bodies.end());
      const bool apart = std::adjacent_find(bodies.begin(), bodies.end()) == bodies.end();
      by_four += apart ? 4 : 0;
      i += apart ? 4 : 1;
    }
  }
  CAPTURE(by_four);
  CHECK(by_four >= 0.8 * static_cast<double>(schedule.sequence.size()));
}

TEST_CASE("dissection: a graph that does not know its factor is refused") {
  const LocalDynamics copy = *make_builtin("wall", 200).ldy;
  CHECK_THROWS_WITH_AS((void)dissected_schedule(copy), doctest::Contains("knows its factor"), std::invalid_argument);
}

TEST_CASE("dissection: an assembly leaves levels of the whole, by which parts and lists of it are cut, too") {
  for (const std::string scene : {"wall", "tower", "spheres", "heavy"}) {
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, 3000);
    LocalDynamics& ldy = *problem.ldy;
    const DelassusFactor& factor = *ldy.factor();
    REQUIRE(factor.level.size() == factor.group_count());
    for (const DiagonalBlock& row : ldy.rows()) {
      Index low = kNone, high = 0;
      for (const std::uint32_t body : bodies_of(ldy, row.constraint)) {
        low = std::min(low, factor.level[body]);
        high = std::max(high, factor.level[body]);
      }
      CHECK(high <= low + 1);
    }

    const SweepSchedule whole = dissected_schedule(ldy);
    std::vector<ConstraintId> some;
    for (std::size_t i = 0; i < whole.sequence.size(); ++i) {
      if (i % 3 != 0) some.push_back(whole.sequence[i]);
    }
    const SweepSchedule listed = dissected_schedule_of(ldy, some);
    CHECK(listed.sequence.size() == some.size());
    CHECK(shared_bodies(ldy, listed) == 0);
    const std::vector<std::span<const ConstraintId>> parts{whole.sequence, some};
    const std::vector<LocalDynamics> graphs = ldy.extract(parts);
    CHECK(dissected_schedule(graphs[0]).parallel == whole.parallel);
    for (const LocalDynamics& part : graphs) {
      CHECK(part.factor()->level.size() == part.factor()->group_count());
      CHECK(shared_bodies(part, dissected_schedule(part)) == 0);
    }
  }
}
