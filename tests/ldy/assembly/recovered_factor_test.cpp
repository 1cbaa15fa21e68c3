// W = F Fᵀ found from the blocks alone, of graphs whose bodies are known to the test.

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include <locdyn/ldy/eliminated_blocks.hpp>
#include <locdyn/ldy/recovered_bodies.hpp>
#include <locdyn/ldy/recovered_factor.hpp>
#include <locdyn/ldy/rigid_columns.hpp>
#include <locdyn/ldy/symmetric_blocks.hpp>

#include "random_scene.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// Two obstacles and so many rigid bodies.
RandomScene rigid_bodies(unsigned seed, int count) {
  RandomScene scene(seed, 2);
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3d size = (scene.random_vector().array().abs() + 0.5).matrix();
    scene.bodies.emplace<RigidBody>(box_mass(1000, size), scene.random_vector(), Eigen::Quaterniond::Identity());
  }
  return scene;
}

// A graph that holds its blocks and knows no factor.
LocalDynamics blocks_of(unsigned seed, int bodies, int constraints) {
  RandomScene scene(seed, bodies);
  LocalDynamics ldy;
  Assembly assembly(scene.bodies, ldy);
  for (int i = 0; i < constraints; ++i) assembly.insert(scene.make_constraint().constraint);
  scene.bodies.predict(RandomScene::h, {0, 0, -9.81});
  assembly.update(RandomScene::h);
  return LocalDynamics(ldy);
}

// In units in which the largest number of each W_αα is 1; a row that nothing moves has none.
double unit(const DiagonalBlock& row) {
  const double largest = row.W.diagonal().maxCoeff();
  return largest > 0 ? 1 / std::sqrt(largest) : 0;
}

Eigen::MatrixXd dense(const LocalDynamics& ldy) {
  const auto arena = ldy.diagonal_arena();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(3 * std::ssize(arena), 3 * std::ssize(arena));
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto a = static_cast<Index>(&row - arena.data());
    W.block<3, 3>(3 * a, 3 * a) = row.W * unit(row) * unit(row);
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
      W.block<3, 3>(3 * a, 3 * block.other) = block.W * unit(row) * unit(arena[block.other]);
    }
  }
  return W;
}

Eigen::MatrixXd dense(const LocalDynamics& ldy, const DelassusFactor& factor) {
  const auto arena = ldy.diagonal_arena();
  std::vector<Eigen::Index> column(factor.group_count() + 1, 0);
  for (const Coupling& c : factor.coupling) column[c.body + 1] = c.freedoms;
  for (std::size_t g = 1; g < column.size(); ++g) column[g] += column[g - 1];
  Eigen::MatrixXd F = Eigen::MatrixXd::Zero(3 * std::ssize(arena), column.back());
  for (Index place = 0; place < arena.size(); ++place) {
    if (arena[place].constraint == kNone) continue;
    for (const Coupling& c : factor.couplings(place)) {
      const Eigen::VectorXd inertia = factor.inertia_of(c).diagonal();
      CHECK(Eigen::MatrixXd(factor.inertia_of(c)).isDiagonal(0));
      const Eigen::MatrixXd own = factor.jacobian(c) * inertia.cwiseSqrt().cwiseInverse().asDiagonal();
      CHECK((factor.response(c) - (factor.jacobian(c) * inertia.cwiseInverse().asDiagonal()).transpose())
                .isZero(1e-12 * factor.jacobian(c).norm()));
      F.block(3 * place, column[c.body], 3, c.freedoms) = own * unit(arena[place]);
    }
  }
  return F;
}

std::vector<FactorGroup> told_by(const LocalDynamics& ldy) {
  const auto blocks = SymmetricBlocks::of(ldy);
  REQUIRE(blocks);
  return recover_bodies(ldy, *blocks);
}

long rank(const Eigen::MatrixXd& W) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(W, Eigen::EigenvaluesOnly);
  return (eigen.eigenvalues().array() > 1e-9).count();
}

}  // namespace

TEST_CASE("a recovered factor is W's, with as many directions as W has rank") {
  double worst = 0;
  long rows = 0, directions = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    LocalDynamics ldy = blocks_of(seed, 3 + static_cast<int>(seed % 7), 20 + static_cast<int>(seed));
    if (seed % 3 == 0) ldy.remove(ConstraintId{seed % 20});  // free places in the arena
    const auto found = recover_factor(ldy, 1e9);
    REQUIRE(found);
    const Eigen::MatrixXd W = dense(ldy), F = dense(ldy, found->view());
    worst = std::max(worst, (W - F * F.transpose()).cwiseAbs().maxCoeff());
    CHECK(F.cols() == rank(W));
    rows += W.rows();
    directions += F.cols();
  }
  // What is 1e-16 of a W_αα is left out: its square root beside it.
  CHECK(worst <= 1e-8);
  CHECK(2 * directions < rows);
  MESSAGE(rows, " rows of rank ", directions, ", off by ", worst);
}

TEST_CASE("a pile is taken apart from its obstacles on: F has about as many numbers as H of its bodies") {
  constexpr int kLayer = 12, kBodies = 8 * kLayer;
  RandomScene scene(3, 2 + kBodies);  // the first two are obstacles
  LocalDynamics ldy;
  Assembly assembly(scene.bodies, ldy);
  const auto touch = [&](int below, int above, int points) {
    for (int i = 0; i < points; ++i) {
      assembly.insert(scene.make_contact(BodyId(below), BodyId(above)).constraint);
    }
  };
  for (int body = 2; body < 2 + kBodies; ++body) {
    touch(body < 2 + kLayer ? 0 : body - kLayer, body, 3);
    if ((body - 1) % kLayer != 0) touch(body, body + 1, 1);
  }
  scene.bodies.predict(RandomScene::h, {0, 0, -9.81});
  assembly.update(RandomScene::h);
  const auto numbers = [](const DelassusFactor& factor) {
    std::size_t count = 0;
    for (const Coupling& c : factor.coupling) count += 3 * c.freedoms;
    return count;
  };
  const std::size_t known = numbers(*ldy.factor());
  const LocalDynamics blocks(ldy);
  REQUIRE(blocks.factor() == nullptr);
  const auto found = recover_factor(blocks, 1e9);
  REQUIRE(found);
  MESSAGE(blocks.constraint_count(), " contacts: H of the bodies has ", known, " numbers, F ", numbers(found->view()));
  CHECK(static_cast<double>(numbers(found->view())) <= 1.05 * static_cast<double>(known));
}

TEST_CASE("bodies of a wall that stands on edges are told by its blocks, also one that touches one other alone") {
  constexpr int kAcross = 9, kLayers = 8, kBodies = kAcross * kLayers + 1;
  RandomScene scene = rigid_bodies(4, kBodies);
  LocalDynamics ldy;
  Assembly assembly(scene.bodies, ldy);
  const auto touch = [&](int below, int above, int points) {
    for (int i = 0; i < points; ++i) {
      assembly.insert(scene.make_contact(BodyId(below), BodyId(above)).constraint);
    }
  };
  const auto brick = [](int layer, int at) { return 2 + layer * kAcross + at; };
  for (int layer = 0; layer < kLayers; ++layer) {
    for (int at = 0; at < kAcross; ++at) {
      if (layer == 0) touch(0, brick(0, at), 2);  // an edge: five of six directions
      if (layer > 0) touch(brick(layer - 1, at), brick(layer, at), 4);
      const int next = layer % 2 == 0 ? at - 1 : at + 1;
      if (layer > 0 && next >= 0 && next < kAcross) touch(brick(layer - 1, next), brick(layer, at), 4);
      if (at > 0) touch(brick(layer, at - 1), brick(layer, at), 4);
    }
  }
  touch(brick(kLayers - 1, 4), brick(kLayers, 0), 4);
  scene.bodies.predict(RandomScene::h, {0, 0, -9.81});
  assembly.update(RandomScene::h);
  LocalDynamics blocks(ldy);
  (void)blocks.insert(ContactLaw{0.5});  // W = 0: nothing moves it
  REQUIRE(blocks.factor() == nullptr);

  const std::vector<FactorGroup> bodies = told_by(blocks);
  CHECK(bodies.size() == kBodies - 1);  // that one is what is left of its contacts
  for (const FactorGroup& body : bodies) CHECK(body.F.cols() == 6);
  const auto found = recover_factor(blocks, 1e9);
  REQUIRE(found);
  CHECK(found->coupling.size() == ldy.factor()->coupling.size());
  const Eigen::MatrixXd F = dense(blocks, found->view());
  CHECK((dense(blocks) - F * F.transpose()).cwiseAbs().maxCoeff() <= 1e-9);
}

TEST_CASE("bodies that touch in single points are told from their obstacles on, and the rest is eliminated") {
  constexpr int kSide = 5, kBodies = kSide * kSide * kSide;
  RandomScene scene(11, 2);
  LocalDynamics ldy;
  Assembly assembly(scene.bodies, ldy);
  const auto at = [](int x, int y, int z) { return Eigen::Vector3d(x, y, z); };
  const auto body = [](const Eigen::Vector3d& x) {
    return BodyId(x[2] < 0 ? 0 : 2 + std::lround(x[0] + kSide * (x[1] + kSide * x[2])));
  };
  for (int i = 0; i < kBodies; ++i) {
    const Eigen::Vector3d size = Eigen::Vector3d::Constant(0.9) + 0.3 * scene.random_vector();
    const Eigen::Vector3d x = at(i % kSide, i / kSide % kSide, i / (kSide * kSide));
    scene.bodies.emplace<RigidBody>(box_mass(1000, size), x, Eigen::Quaterniond::Identity());
  }
  const auto touch = [&](const Eigen::Vector3d& one, const Eigen::Vector3d& other) {
    ContactPoint contact;
    contact.master = body(one);
    contact.slave = body(other);
    contact.point = 0.5 * (one + other) + 0.3 * scene.random_vector();
    contact.frame = local_frame(other - one + 0.3 * scene.random_vector());
    assembly.insert(std::make_unique<Contact>(contact));
  };
  for (int i = 0; i < kBodies; ++i) {
    const Eigen::Vector3d x = at(i % kSide, i / kSide % kSide, i / (kSide * kSide));
    for (int k = 0; k < 3; ++k) {
      if (x[k] > 0 || k == 2) touch(x - Eigen::Vector3d::Unit(k), x);
    }
  }
  scene.bodies.predict(RandomScene::h, {0, 0, -9.81});
  assembly.update(RandomScene::h);
  const LocalDynamics blocks(ldy);
  REQUIRE(blocks.factor() == nullptr);

  const std::vector<FactorGroup> told = told_by(blocks);
  const auto found = recover_factor(blocks, 1e9);
  REQUIRE(found);
  const Eigen::MatrixXd F = dense(blocks, found->view());
  const double off = (dense(blocks) - F * F.transpose()).cwiseAbs().maxCoeff();
  MESSAGE(told.size(), " of ", kBodies, " bodies told, F off by ", off);
  CHECK(4 * told.size() >= 3 * kBodies);  // not those that touch four others or fewer
  CHECK(off <= 1e-7);
  CHECK(eliminate_blocks(blocks, {}, 1e9)->size() > found->first_inertia.size());

  // Turned they have the masses of the bodies, and the frames of the contacts, with opposite signs on the two of them.
  std::vector<FactorGroup> turned = told;
  turn_to_rigid_columns(turned, blocks.diagonal_arena().size());
  std::vector<double> masses;
  for (const BodyId id : scene.bodies.ids()) {
    if (scene.bodies[id].freedoms() == 6) masses.push_back(scene.bodies[id].inertia()(5, 5) / RandomScene::h);
  }
  std::vector<Eigen::MatrixXd> frame_of(blocks.diagonal_arena().size());
  std::size_t rigid = 0, shared = 0;
  for (std::size_t b = 0; b < turned.size(); ++b) {
    if (turned[b].mass == 1) continue;
    ++rigid;
    const auto near = [&](double mass) { return std::abs(turned[b].mass - mass) <= 1e-6 * mass; };
    CHECK(std::any_of(masses.begin(), masses.end(), near));
    Eigen::MatrixXd own = turned[b].F;
    own.rightCols(3) /= std::sqrt(turned[b].mass);
    CHECK((own * own.transpose() - told[b].F * told[b].F.transpose()).norm() <= 1e-7 * told[b].F.squaredNorm());
    for (std::size_t k = 0; k < turned[b].rows.size(); ++k) {
      const Eigen::MatrixXd N = turned[b].F.block(static_cast<Eigen::Index>(3 * k), 3, 3, 3);
      Eigen::MatrixXd& first = frame_of[turned[b].rows[k]];
      if (first.size() > 0) {
        CHECK(N == -first);
        ++shared;
      }
      first = N;
    }
  }
  MESSAGE(rigid, " turned, ", shared, " contacts between them");
  CHECK(rigid >= 60);
  CHECK(shared >= 100);
}

TEST_CASE("few bodies that all touch each other are not told apart, and F is found without") {
  RandomScene scene = rigid_bodies(6, 3);
  LocalDynamics ldy;
  Assembly assembly(scene.bodies, ldy);
  for (int k = 0; k < 4; ++k) {
    assembly.insert(scene.make_contact(BodyId(2), BodyId(3)).constraint);
    assembly.insert(scene.make_contact(BodyId(3), BodyId(4)).constraint);
    assembly.insert(scene.make_contact(BodyId(2), BodyId(4)).constraint);
  }
  scene.bodies.predict(RandomScene::h, {0, 0, -9.81});
  assembly.update(RandomScene::h);
  const LocalDynamics blocks(ldy);
  CHECK(told_by(blocks).empty());
  const auto found = recover_factor(blocks, 1e9);
  REQUIRE(found);
  const Eigen::MatrixXd F = dense(blocks, found->view());
  CHECK((dense(blocks) - F * F.transpose()).cwiseAbs().maxCoeff() <= 1e-8);
}

TEST_CASE("a factor is not recovered where F would be larger than asked, W unsymmetric or indefinite") {
  LocalDynamics ldy = blocks_of(5, 6, 30);
  REQUIRE(recover_factor(ldy, 1e9));
  CHECK_FALSE(recover_factor(ldy, 1e-3));

  LocalDynamics turned = ldy;
  for (DiagonalBlock& row : turned.rows()) {
    if (row.first == kNone) continue;
    turned.adjacent(row).begin()->W(0, 1) += 1e-6 * row.W.diagonal().maxCoeff();
    break;
  }
  CHECK_FALSE(recover_factor(turned, 1e9));

  LocalDynamics indefinite = ldy;
  for (DiagonalBlock& row : indefinite.rows()) row.W.diagonal().array() -= 0.5 * row.W.diagonal().maxCoeff();
  CHECK_FALSE(recover_factor(indefinite, 1e9));

  CHECK_FALSE(recover_factor(LocalDynamics(), 1e9));
}
