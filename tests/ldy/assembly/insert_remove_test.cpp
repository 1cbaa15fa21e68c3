// A graph that constraints come to and leave must equal one built afresh; faults leave it as it was.

#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include <locdyn/ldy/assembly/constraints/contact.hpp>

#include "random_scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

// W must be that of the ties, and the blocks those of pairs that share a moving body.
void check_against_fresh(RandomScene& scene, const LocalDynamics& ldy, const std::map<ConstraintId, Tie>& alive) {
  std::vector<const Tie*> ties;
  std::vector<ConstraintId> ids;
  for (const auto& [id, tie] : alive) {
    ids.push_back(id);
    ties.push_back(&tie);
  }
  const DenseBodies bodies(scene.bodies);
  const DenseRows rows(scene.bodies, bodies, ties);
  const Eigen::MatrixXd expected = RandomScene::h * rows.H * bodies.A.ldlt().solve(rows.H.transpose());
  const double scale = expected.cwiseAbs().maxCoeff();
  CHECK((dense_w(ldy, ids) - expected).cwiseAbs().maxCoeff() <= 1e-13 * scale);
  CHECK((dense_b(ldy, ids) - (rows.H * bodies.free_velocity + rows.drive)).cwiseAbs().maxCoeff() <= 1e-12);

  const auto share = [&](const Tie& a, const Tie& b) {
    for (const auto& x : a.blocks[0].ends) {
      for (const auto& y : b.blocks[0].ends) {
        if (x.body == y.body && scene.bodies[x.body].freedoms() > 0) return true;
      }
    }
    return false;
  };
  std::size_t blocks = 0;
  for (const Tie* a : ties) {
    for (const Tie* b : ties) {
      if (a == b) {
        blocks += a->blocks.size() * (a->blocks.size() - 1);
      } else if (share(*a, *b)) {
        blocks += a->blocks.size() * b->blocks.size();
      }
    }
  }
  CHECK(ldy.off_diagonal_count() == blocks);
}

std::string message_of(Assembly& assembly, const ContactPoint& point) {
  try {
    assembly.emplace<Contact>(point);
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "";
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("constraints come and go at random") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    RandomScene scene(seed, 12);
    LocalDynamics ldy;
    Assembly assembly(scene.bodies, ldy);
    std::map<ConstraintId, Tie> alive;
    const AssemblyOptions options{.threads = 1 + static_cast<int>(seed) % 2, .pack_share = seed < 3 ? 1.0 : 0.3};

    for (int round = 0; round < 12; ++round) {
      CAPTURE(round);
      for (int i = 0; i < 6; ++i) {
        auto made = scene.make_constraint();
        const ConstraintId id = assembly.insert(std::move(made.constraint));
        REQUIRE(alive.emplace(id, std::move(made.tie)).second);
      }
      for (std::size_t i = scene.random_below(6); i > 0; --i) {
        auto at = alive.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(scene.random_below(alive.size())));
        assembly.remove(at->first);
        alive.erase(at);
      }
      CHECK_THROWS_AS(assembly.apply_reactions(), std::logic_error);
      assembly.update(RandomScene::h, options);
      check_against_fresh(scene, ldy, alive);
    }
    while (!alive.empty()) {
      assembly.remove(alive.begin()->first);
      alive.erase(alive.begin());
    }
    CHECK(ldy.off_diagonal_count() == 0);
    assembly.update(RandomScene::h);
    for (const BodyId body : scene.bodies.ids()) CHECK(assembly.constraints_of(body).empty());
  }
}

TEST_CASE("a graph packed behind the assembly's back is assembled all the same") {
  RandomScene scene(5, 10);
  LocalDynamics ldy;
  Assembly assembly(scene.bodies, ldy);
  std::map<ConstraintId, Tie> alive;
  for (int i = 0; i < 30; ++i) {
    auto made = scene.make_constraint();
    const ConstraintId id = assembly.insert(std::move(made.constraint));
    alive.emplace(id, std::move(made.tie));
  }
  assembly.update(RandomScene::h);
  ldy.pack(SweepOrder::by_bandwidth);
  CHECK_THROWS_AS((void)assembly.kinematics(), std::logic_error);
  assembly.update(RandomScene::h);
  check_against_fresh(scene, ldy, alive);
}

TEST_CASE("faults name the constraint and the value, and change nothing") {
  RandomScene scene(3, 8);
  LocalDynamics ldy;
  Assembly assembly(scene.bodies, ldy);
  const ContactPoint good{.master = BodyId{0}, .slave = BodyId{3}};
  assembly.emplace<Contact>(good);

  ContactPoint bad = good;
  bad.slave = BodyId{1};
  CHECK(has(message_of(assembly, bad), "contact of bodies 0, 1: bodies: expected one that moves, found obstacle 0"));
  bad.slave = BodyId{3};
  bad.master = BodyId{3};
  CHECK(has(message_of(assembly, bad), "body 3 with itself"));
  bad.master = BodyId{99};
  CHECK(has(message_of(assembly, bad), "found 99"));
  bad = good;
  bad.point[1] = std::numeric_limits<double>::quiet_NaN();
  CHECK(has(message_of(assembly, bad), "contact point"));
  bad = good;
  bad.frame(0, 0) = 2;
  CHECK(has(message_of(assembly, bad), "frame: expected a right-handed orthonormal"));
  bad = good;
  bad.frame.col(0) *= -1;
  CHECK(has(message_of(assembly, bad), "frame"));
  bad = good;
  bad.material.friction = -0.5;
  CHECK(has(message_of(assembly, bad), "friction: expected a finite number >= 0, found -0.5"));
  bad = good;
  bad.gap = 0.1;
  bad.material.restitution = 0.5;
  CHECK_FALSE(Contact::acts(bad));
  CHECK(has(message_of(assembly, bad), "gap: expected <= 0"));
  std::swap(bad.master, bad.slave);
  CHECK(has(message_of(assembly, bad), "slave"));

  CHECK(ldy.constraint_count() == 1);
  CHECK(assembly.constraints_of(BodyId{3}).size() == 1);
  CHECK_THROWS_AS(assembly.insert(nullptr), std::invalid_argument);
  CHECK_THROWS_AS(assembly.remove(ConstraintId{17}), std::invalid_argument);
  CHECK_THROWS_AS(assembly.update(0), std::invalid_argument);
  CHECK_THROWS_AS(assembly.update(std::numeric_limits<double>::infinity()), std::invalid_argument);
  CHECK_THROWS_AS(assembly.update(0.1, {.threads = 0}), std::invalid_argument);
  CHECK_THROWS_AS(assembly.update(0.1, {.pack_share = 2}), std::invalid_argument);
  assembly.update(0.1);
  CHECK_THROWS_AS(assembly.apply_reactions(0), std::invalid_argument);
  CHECK_THROWS_AS(Assembly(scene.bodies, ldy), std::invalid_argument);
}
