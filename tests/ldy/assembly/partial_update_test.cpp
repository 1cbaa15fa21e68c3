// Updates of what has moved alone, errors of position, and W as its factors.

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>

#include "random_scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

// Two of the same seed are the same.
struct Case {
  Case(unsigned seed, int body_count, int constraint_count) : scene(seed, body_count) {
    for (int i = 0; i < constraint_count; ++i) ids.push_back(assembly.insert(scene.make_constraint().constraint));
    scene.bodies.predict(RandomScene::h, {0, 0, -9.81});
  }
  // Moves the marked bodies by their own motion.
  void move(const std::vector<std::uint8_t>& moved) {
    for (BodyId id{0}; id < moved.size(); ++id) {
      if (moved[id] != 0) scene.bodies[id].advance(0.05);
    }
  }

  RandomScene scene;
  LocalDynamics ldy;
  Assembly assembly{scene.bodies, ldy};
  std::vector<ConstraintId> ids;
};

std::vector<std::uint8_t> random_subset(std::mt19937& random, std::size_t size, unsigned one_in) {
  std::vector<std::uint8_t> subset(size);
  for (std::uint8_t& m : subset) m = random() % one_in == 0;
  return subset;
}

bool same_blocks(const LocalDynamics& a, const LocalDynamics& b, const DiagonalBlock& in_a, const DiagonalBlock& in_b) {
  bool same = in_a.W == in_b.W;
  auto other = b.adjacent(in_b).begin();
  for (const OffDiagonalBlock& block : a.adjacent(in_a)) {
    same = same && block.W == other->W;
    ++other;
  }
  return same;
}

void check_same_graph(const Case& a, const Case& b) {
  auto row = b.ldy.rows().begin();
  for (const DiagonalBlock& in_a : a.ldy.rows()) {
    CAPTURE(in_a.constraint);
    CHECK(same_blocks(a.ldy, b.ldy, in_a, *row));
    CHECK(in_a.B == row->B);
    ++row;
  }
  for (const ConstraintId id : a.ids) {
    for (int k = 0; k < block_count(a.ldy.law(id)); ++k) {
      CHECK(offset(a.ldy.law(id), k) == offset(b.ldy.law(id), k));
      CHECK(a.assembly.velocity_before(id, k) == b.assembly.velocity_before(id, k));
    }
  }
  const auto H = a.ldy.factor()->H, other_H = b.ldy.factor()->H;
  CHECK(std::equal(H.begin(), H.end(), other_H.begin(), other_H.end()));
}

}  // namespace

TEST_CASE("an update of the bodies that moved is a full update, bit for bit") {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Case part(seed, 12, 30), full(seed, 12, 30);
    part.assembly.update(RandomScene::h);
    full.assembly.update(RandomScene::h);
    std::mt19937 random(seed);
    for (int turn = 0; turn < 4; ++turn) {
      CAPTURE(turn);
      const auto moved = random_subset(random, part.scene.bodies.size(), turn == 0 ? 12 : 4);
      for (Case* c : {&part, &full}) {
        c->move(moved);
        c->scene.bodies.predict(RandomScene::h, {turn * 1.0, 0, -9.81});
      }
      part.assembly.update_geometry(RandomScene::h, moved, {.threads = 1 + turn % 2});
      part.assembly.update_loads();
      full.assembly.update(RandomScene::h);
      check_same_graph(part, full);
    }
  }
}

TEST_CASE("rows that feel nothing of what moved are left alone") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Case c(seed, 30, 25);
    c.assembly.update(RandomScene::h);
    std::mt19937 random(seed);
    const auto moved = random_subset(random, c.scene.bodies.size(), 8);
    const auto has_moved = [&](ConstraintId id) {
      for (BodyId body : c.assembly.constraint(id).bodies()) {
        if (moved[body] != 0) return true;
      }
      return false;
    };
    constexpr double kMark = 77;
    for (DiagonalBlock& row : c.ldy.rows()) row.W.setConstant(kMark);
    c.assembly.update_geometry(RandomScene::h, moved);
    std::size_t alone = 0;
    for (const DiagonalBlock& row : c.ldy.rows()) {
      bool feels = has_moved(row.constraint);
      for (const OffDiagonalBlock& block : c.ldy.adjacent(row)) {
        feels = feels || has_moved(c.ldy.diagonal_arena()[block.other].constraint);
      }
      if (!feels) {
        CHECK((row.W.array() == kMark).all());
        ++alone;
      } else if (has_moved(row.constraint)) {
        CHECK((row.W.array() != kMark).any());
      }
    }
    CHECK(alone > 0);
  }
}

TEST_CASE("nothing marked: nothing done, another step, another graph or no marks: everything") {
  Case c(3, 10, 20), full(3, 10, 20);
  const std::vector<std::uint8_t> none(c.scene.bodies.size(), 0);
  const auto spoil = [&] {
    for (DiagonalBlock& row : c.ldy.rows()) row.W.setConstant(77);
  };
  c.assembly.update_geometry(RandomScene::h, none);  // the first
  c.assembly.update_loads();
  full.assembly.update(RandomScene::h);
  check_same_graph(c, full);
  spoil();
  c.assembly.update_geometry(RandomScene::h, none);
  for (const DiagonalBlock& row : c.ldy.rows()) CHECK((row.W.array() == 77).all());
  c.assembly.update_geometry(RandomScene::h, {});
  check_same_graph(c, full);
  spoil();
  c.assembly.update_geometry(2 * RandomScene::h, none);
  for (ConstraintId id : c.ids) CHECK(c.ldy.row(id).W.isApprox(2 * full.ldy.row(id).W, 1e-14));
  spoil();
  c.ldy.pack(SweepOrder::by_bandwidth);
  c.assembly.update_geometry(RandomScene::h, none);
  for (ConstraintId id : c.ids) CHECK(c.ldy.row(id).W == full.ldy.row(id).W);
  spoil();
  c.assembly.remove(c.ids.back());
  c.ids.pop_back();
  c.assembly.update_geometry(RandomScene::h, none);
  for (ConstraintId id : c.ids) CHECK(c.ldy.row(id).W == full.ldy.row(id).W);
}

TEST_CASE("after an update that a fault has ended everything is done anew") {
  Case a(11, 6, 12), b(11, 6, 12);
  a.assembly.update(RandomScene::h);
  const std::vector<std::uint8_t> none(a.scene.bodies.id_bound(), 0);
  const auto ids = b.assembly.constraint(b.ids.front()).bodies();
  Body& body = b.scene.bodies[*std::ranges::find_if(ids, [&](BodyId id) { return b.scene.bodies[id].freedoms() > 0; })];
  const Eigen::VectorXd configuration = body.configuration(), velocity = body.velocity();
  body.set_velocity(Eigen::VectorXd::Constant(velocity.size(), 1e200));
  body.advance(1);  // so far away that W is no number
  CHECK_THROWS_AS(b.assembly.update_geometry(RandomScene::h, {}), std::invalid_argument);
  CHECK_THROWS_AS((void)b.assembly.islands(), std::logic_error);
  body.set_configuration(configuration);
  body.set_velocity(velocity);
  b.assembly.update_geometry(RandomScene::h, none);  // nothing has moved, but none of it is known
  b.assembly.update_loads();
  check_same_graph(a, b);
  CHECK(a.assembly.islands().members == b.assembly.islands().members);
}

TEST_CASE("loads alone: as a full update where only velocities and forces have changed") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    Case part(seed, 10, 25), full(seed, 10, 25);
    part.assembly.update(RandomScene::h);
    for (Case* c : {&part, &full}) {
      for (BodyId id{2}; id < c->scene.bodies.size(); ++id) {
        c->scene.bodies[id].set_velocity(-2 * c->scene.bodies[id].velocity());
      }
      c->scene.bodies.predict(RandomScene::h, {1, 2, 3});
    }
    part.assembly.update_loads({.threads = 2});
    full.assembly.update(RandomScene::h);
    check_same_graph(part, full);
  }
}

TEST_CASE("loads of a graph that has changed, and loads that are not finite, are refused") {
  Case c(4, 8, 10);
  CHECK_THROWS_AS(c.assembly.update_loads(), std::invalid_argument);  // no step yet
  c.assembly.update(RandomScene::h);
  c.assembly.insert(c.scene.make_constraint().constraint);
  CHECK_THROWS_AS(c.assembly.update_loads(), std::logic_error);

  BodySet bodies;
  const BodyId body = bodies.emplace<Particle>(1.0, Eigen::Vector3d::Zero());
  const BodyId other = bodies.emplace<Particle>(1.0, Eigen::Vector3d::Zero());
  LocalDynamics ldy;
  Assembly assembly(bodies, ldy);
  assembly.emplace<FixedPoint>(Anchor{{0, 0, 0}, body}, Anchor{{0, 0, 0}, other});
  bodies[body].set_velocity(Eigen::Vector3d(-1.7e308, 0, 0));
  bodies[other].set_velocity(Eigen::Vector3d(1.7e308, 0, 0));
  bodies.predict(0.01, Eigen::Vector3d::Zero());
  assembly.update_geometry(0.01, {});
  CHECK_THROWS_AS(assembly.update_loads(), std::invalid_argument);
  const std::vector<std::uint8_t> moved(2, 1);
  CHECK_THROWS_AS(assembly.update_geometry(0, moved), std::invalid_argument);
  CHECK_THROWS_AS(assembly.update_geometry(0.01, moved, {.threads = 0}), std::invalid_argument);
}

TEST_CASE("errors of position grow as the relative velocity has it") {
  int checked = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Case c(seed, 10, 12);
    c.assembly.update(RandomScene::h);
    for (ConstraintId id : c.ids) {
      const Constraint& constraint = c.assembly.constraint(id);
      const std::string kind(constraint.kind());
      CAPTURE(kind);
      const int count = block_count(c.ldy.law(id));
      const auto error_at = [&](double t) {
        std::vector<Eigen::VectorXd> before;
        for (BodyId body : constraint.bodies()) before.push_back(c.scene.bodies[body].configuration());
        for (BodyId body : constraint.bodies()) c.scene.bodies[body].advance(t);
        std::vector<Eigen::Vector3d> error(static_cast<std::size_t>(count), Eigen::Vector3d::Constant(NAN));
        constraint.position_error(c.scene.bodies, error);
        std::size_t k = 0;
        for (BodyId body : constraint.bodies()) c.scene.bodies[body].set_configuration(before[k++]);
        return error;
      };
      const bool holds_place = kind == "fixed point" || kind == "fixed direction" || kind == "rigid link";
      const double dt = 1e-5;
      const auto now = error_at(0), ahead = error_at(dt), behind = error_at(-dt);
      for (int k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        // As it was inserted; a contact's gap was zero. The two points of a fixed point may be apart: that is its
        // error.
        if (kind != "fixed point") CHECK(now[at].norm() < 1e-13);
        // Central differences are good to dt², here 1e-10 times third derivatives of some ten.
        const Eigen::Vector3d rate = (ahead[at] - behind[at]) / (2 * dt);
        const Eigen::Vector3d expected =
            holds_place ? c.assembly.velocity_before(id, k) : Eigen::Vector3d(Eigen::Vector3d::Zero());
        CHECK((rate - expected).norm() < 1e-7 * (1 + expected.norm()));
      }
      checked += holds_place;
    }
  }
  CHECK(checked > 100);
}

TEST_CASE("a contact's error of position is the gap it was given") {
  RandomScene scene(1, 6);
  ContactPoint point{.master = BodyId{0}, .slave = BodyId{2}, .gap = -0.25};
  Contact contact(point);
  Eigen::Vector3d error;
  contact.position_error(scene.bodies, {&error, 1});
  CHECK(error == Eigen::Vector3d(0, 0, -0.25));
  point.gap = 0.5;
  contact.set_point(point, scene.bodies);
  contact.position_error(scene.bodies, {&error, 1});
  CHECK(error == Eigen::Vector3d(0, 0, 0.5));
}

TEST_CASE("the factor of W is h H A⁻¹ Hᵀ, in the graph and in the parts extracted from it") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    Case c(seed, 14, 20);
    c.assembly.update(RandomScene::h);
    std::vector<ConstraintId> part(c.ids.begin() + 5, c.ids.begin() + 12);
    std::vector<ConstraintId> names(part.size());
    for (ConstraintId i{0}; i < names.size(); ++i) names[i] = i;
    const std::vector<std::span<const ConstraintId>> parts{part};
    const std::vector<LocalDynamics> extracted = c.ldy.extract(parts);
    const auto check = [](const LocalDynamics& ldy, const std::vector<ConstraintId>& ids) {
      const DelassusFactor* factor = ldy.factor();
      REQUIRE(factor != nullptr);
      CHECK(factor->h == RandomScene::h);
      const auto groups = factor->first_inertia.size() - 1;
      Eigen::MatrixXd H = Eigen::MatrixXd::Zero(3 * static_cast<Eigen::Index>(ldy.row_count()), 12 * groups);
      Eigen::MatrixXd A = Eigen::MatrixXd::Identity(H.cols(), H.cols());
      Eigen::Index row = 0;
      for (ConstraintId id : ids) {
        for (int k = 0; k < block_count(ldy.law(id)); ++k, row += 3) {
          const auto place = static_cast<Index>(&ldy.row(id, k) - ldy.diagonal_arena().data());
          for (const Coupling& coupling : factor->couplings(place)) {
            const Eigen::Index at = 12 * Eigen::Index(coupling.body), n = coupling.freedoms;
            H.block(row, at, 3, n) = factor->jacobian(coupling);
            A.block(at, at, n, n) = factor->inertia_of(coupling);
          }
        }
      }
      const Eigen::MatrixXd W = dense_w(ldy, ids);
      CHECK((RandomScene::h * H * A.inverse() * H.transpose() - W).norm() < 1e-12 * W.norm());
    };
    check(c.ldy, c.ids);
    check(extracted[0], names);
  }
}
